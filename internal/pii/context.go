package pii

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// hinted reports whether a word for which good is true introduces the number at i on
// its line, with nothing between but signs and words such as "number is".
func (s *scanner) hinted(i int, good func(string) bool) bool {
	t := s.s
	for range 5 {
		word, start, ok := wordBack(t, i)
		if !ok {
			return s.hint != "" && start == 0 && keyHints(s.hint, good)
		}
		if good(word) {
			// INVALID_CALL = 2005270527 is a constant.
			return !verbs[word] || strings.IndexByte(t[start:i], '=') < 0
		}
		if !fillers[word] {
			return false
		}
		i = start
	}
	return false
}

// keyHints reports whether one of the words of a key such as "phoneNumber" or
// "home.phone_no" is good.
func keyHints(key string, good func(string) bool) bool {
	if strings.IndexByte(key, '[') >= 0 {
		// The words of tokens are not the key's.
		f := fold(key, nil)
		key = f.text
	}
	for w := range strings.FieldsFuncSeq(key, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if good(strings.ToLower(w)) {
			return true
		}
	}
	return false
}

// wordBack returns the last word before i in lower case, and where it begins. ok is
// false when there is none on the line, or too much stands between; start is 0 when
// the text began.
func wordBack(t string, i int) (word string, start int, ok bool) {
	end := i
	for end > 0 && i-end < 8 {
		r, n := utf8.DecodeLastRuneInString(t[:end])
		if unicode.IsLetter(r) {
			break
		}
		if r == '\n' || r == barrier || unicode.IsDigit(r) || r == ')' || r == '+' {
			return "", end, false
		}
		end -= n
	}
	start = end
	for start > 0 && end-start < 32 {
		r, n := utf8.DecodeLastRuneInString(t[:start])
		if !unicode.IsLetter(r) {
			break
		}
		start -= n
	}
	return strings.ToLower(t[start:end]), start, start < end
}

// wordAhead returns the word after i in lower case, with nothing between but a space,
// a comma or an opening bracket.
func wordAhead(t string, i int) string {
	for n := 0; n < 3 && i < len(t) && strings.IndexByte(" (,[", t[i]) >= 0; n++ {
		i++
	}
	end := i
	for end < len(t) && end-i < 32 {
		r, n := utf8.DecodeRuneInString(t[end:])
		if !unicode.IsLetter(r) {
			break
		}
		end += n
	}
	return strings.ToLower(t[i:end])
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// fillers may stand between a word that says what a number is and the number.
var fillers = set(`number numbers no nr num nummer is was at me us him her them on or and the my our your his new home
	work office direct now please again reach under unter au al numéro numero número номер`)

var phoneWords = set(`tel tels telephone telephones ph phone phones call calls called calling mobile mobiles mob mobil
	cell cells cellular fax faxes telefax whatsapp sms text dial hotline landline pager voicemail ring gsm msisdn
	telefon telefono teléfono telefone téléphone telephonique tél móvil movil celular handy rufnummer durchwahl
	portable tlf tlfn puh tелефон телефон тел моб факс`)

// verbs among them say less in a program.
var verbs = set(`call calls called calling text dial ring`)

// phoneWord reports whether a word says that a phone number follows.
func phoneWord(w string) bool {
	return phoneWords[w] || strings.Contains(w, "phone") && w != "phones" || strings.HasSuffix(w, "mobile") || strings.HasSuffix(w, "fax") ||
		len(w) >= 6 && w[0] >= 0xE0 && (strings.Contains(w, "電話") || strings.Contains(w, "电话") || strings.Contains(w, "手机") ||
			strings.Contains(w, "手機") || strings.Contains(w, "携帯") || strings.Contains(w, "전화"))
}

// phoneAfter reports whether a word says that a phone number stands before it:
// "030 901820 (Telefon)".
func phoneAfter(w string) bool {
	switch w {
	case "tel", "phone", "mobile", "cell", "fax", "telefon", "mobil", "telephone", "handy":
		return true
	}
	return false
}

// otherWords introduce numbers that look like phone numbers and are not.
var otherWords = set(`order orders invoice ticket part parts sku case item items tracking isbn issn id ids serial account
	page pages range seed nonce build version ref reference bates rev revision model case docket bug issue pr lot
	batch patent section matrix seq ack rows port ports`)

func otherWord(w string) bool { return otherWords[w] }

// ssnWord reports whether a word says that a social security number follows.
func ssnWord(w string) bool {
	switch w {
	case "ssn", "ssns", "social", "security", "sec", "tin", "socialsecurity", "socialsecuritynumber", "ssnumber":
		return true
	}
	return strings.HasSuffix(w, "ssn")
}

var cardWords = set(`card cards pan cc credit debit visa mastercard amex maestro unionpay karte kreditkarte carte tarjeta`)

// cardWord reports whether a word says that a card number follows.
func cardWord(w string) bool {
	return cardWords[w] || strings.HasSuffix(w, "card") || strings.HasPrefix(w, "card")
}
