def mask(email):
    user, _, domain = email.partition("@")
    return user[0] + "*" * (len(user) - 1) + "@" + domain if domain else "***"
print([mask(e) for e in ("john@example.com", "a@b.c", "nomail")])
