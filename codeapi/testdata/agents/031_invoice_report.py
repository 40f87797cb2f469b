# context: {"invoice": {"number": "2024-117", "customer": "Øster & Søn", "lines": [{"text": "Consulting", "hours": 12.5, "rate": 95}, {"text": "Travel", "hours": 3, "rate": 40}, {"text": "Review", "hours": 1.25, "rate": 120}], "vat": 0.25}}
def money(x: float) -> str:
    """1234.5 -> 1,234.50"""
    return f"{x:,.2f}"


def render(inv: dict) -> str:
    out = [f"Invoice {inv['number']} for {inv['customer']}", "=" * 40]
    subtotal = 0
    for i, line in enumerate(inv["lines"], start=1):
        amount = line["hours"] * line["rate"]
        subtotal += amount
        out.append(f"{i:>2}. {line['text']:<20}{money(amount):>15}")
    vat = subtotal * inv["vat"]
    out.append("-" * 40)
    for label, amount in (("Subtotal", subtotal), ("VAT", vat), ("Total", subtotal + vat)):
        out.append(f"{label:<24}{money(amount):>15}")
    return "\n".join(out)


__result__ = render(invoice)
