package pii

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names are found by lists of frequent first and last names and by what stands around
// them: titles, "my name is", keys such as first_name, greetings. There is no model
// behind it. It misses names that are on no list and stand alone, and takes some firms
// and places for people; docs/privacy.md says how often.

// word is a word of the text: letters, with hyphens and apostrophes inside.
type word struct {
	start, end int
	lower      string
	capital    bool // begins with a capital letter
}

// nextWord returns the first word at or after i; end 0 when there is none.
func nextWord(t string, i int) (w word) {
	for i < len(t) {
		r, n := utf8.DecodeRuneInString(t[i:])
		if unicode.IsLetter(r) {
			break
		}
		i += n
	}
	if i == len(t) {
		return word{}
	}
	w.start = i
	first, _ := utf8.DecodeRuneInString(t[i:])
	w.capital = unicode.IsUpper(first)
	for i < len(t) && i-w.start < 64 {
		r, n := utf8.DecodeRuneInString(t[i:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			if r != '-' && r != '\'' && r != '’' {
				break
			}
			next, _ := utf8.DecodeRuneInString(t[i+n:])
			if !unicode.IsLetter(next) || (r != '-') && strings.HasPrefix(strings.ToLower(t[i+n:]), "s") && !wordAt(t, i+n+1) {
				break // Chris's
			}
		}
		i += n
	}
	w.end = i
	w.lower = strings.ToLower(t[w.start:i])
	return w
}

// names finds names between the values that are found already.
func (s *scanner) names() {
	t := s.s
	sorted := s.found
	var before [3]string // the words before, the last one first
	for i := 0; ; {
		w := nextWord(t, i)
		if w.end == 0 {
			return
		}
		start, end := s.nameAt(w, before)
		if end > 0 && s.free(sorted, start, end) {
			s.found = append(s.found, Match{Name, start, end})
			i = end
			before = [3]string{}
			continue
		}
		before = [3]string{w.lower, before[0], before[1]}
		i = w.end
	}
}

// nameAt returns the name that begins with a word, or with a title at that word; end 0
// when there is none.
func (s *scanner) nameAt(w word, before [3]string) (start, end int) {
	t := s.s
	if !w.capital && !titles[w.lower] {
		return 0, 0
	}
	if digitAt(t, w.start-1) || at(t, w.start-1) == '_' && !given[w.lower] {
		return 0, 0
	}
	if titles[w.lower] && (w.capital || w.lower == "herr" || w.lower == "frau") {
		if start, end := titled(t, w); end > 0 {
			return start, end
		}
	}
	if !w.capital {
		return 0, 0
	}
	c := chain(t, w)
	if c.places {
		return 0, 0
	}
	switch {
	case given[w.lower] && c.words > 1 && (!doubtful[w.lower] || family[c.last]):
		return w.start, c.end
	case given[w.lower] && c.words > 1 && doubtful[w.lower]:
		return 0, 0
	case c.initials > 1 && c.words > c.initials: // J. R. Hartley
		return w.start, c.end
	case c.words >= 1 && s.introduced(w, c, before):
		return w.start, c.end
	case given[w.lower] && c.words == 1 && s.greeted(w, before):
		return w.start, c.end
	}
	// Smith, John
	if c.words == 1 && !given[w.lower] && !notNames[w.lower] && strings.HasPrefix(t[w.end:], ", ") {
		if n := nextWord(t, w.end+2); n.start == w.end+2 && n.capital && given[n.lower] && !doubtful[n.lower] && (family[w.lower] || at(t, n.end) != ' ') {
			return w.start, n.end
		}
	}
	return 0, 0
}

// nameChain is a run of capitalised words that may be a name.
type nameChain struct {
	end      int
	words    int // with initials
	initials int
	last     string
	places   bool // a word in it or after it says that it is no person
}

// chain reads the words from w on: capitalised ones, initials, and particles between.
func chain(t string, w word) (c nameChain) {
	first := w
	upper := strings.ToUpper(t[first.start:first.end]) == t[first.start:first.end] && first.end-first.start > 2
	for c.words < 4 {
		if notNames[w.lower] {
			c.places = true
			return c
		}
		initial := utf8.RuneCountInString(w.lower) == 1 && at(t, w.end) == '.'
		c.words++
		c.end = w.end
		c.last = w.lower
		if i := strings.LastIndexByte(c.last, '-'); i >= 0 && !family[c.last] {
			c.last = c.last[i+1:]
		}
		gap := w.end
		if initial {
			c.initials++
			gap++
		}
		if at(t, gap) != ' ' {
			break
		}
		next := nextWord(t, gap+1)
		if next.start != gap+1 {
			break
		}
		if particles[next.lower] && at(t, next.end) == ' ' {
			after := nextWord(t, next.end+1)
			if particles[after.lower] && after.start == next.end+1 && at(t, after.end) == ' ' {
				next = after
				after = nextWord(t, next.end+1)
			}
			if after.start == next.end+1 && after.capital {
				next = after
			}
		}
		if !next.capital || upper != (strings.ToUpper(t[next.start:next.end]) == t[next.start:next.end] && next.end-next.start > 2) && next.end-next.start > 2 {
			break
		}
		w = next
	}
	// A chain does not end with an initial.
	if c.words == c.initials {
		c.words, c.initials = 0, 0
	}
	return c
}

// titled returns the name after the title w.
func titled(t string, w word) (start, end int) {
	weak := weakTitles[w.lower]
	for {
		i := w.end
		if at(t, i) == '.' {
			i++
		}
		if at(t, i) != ' ' {
			return 0, 0
		}
		w = nextWord(t, i+1)
		if w.start != i+1 {
			return 0, 0
		}
		if !titles[w.lower] {
			break
		}
		weak = weak && weakTitles[w.lower]
	}
	first := w
	if particles[w.lower] && !w.capital {
		for n := 0; n < 2 && particles[w.lower] && at(t, w.end) == ' '; n++ {
			w = nextWord(t, w.end+1)
		}
	}
	if !w.capital {
		return 0, 0
	}
	c := chain(t, w)
	if c.words == 0 || c.places || weak && !given[w.lower] {
		return 0, 0
	}
	return first.start, c.end
}

// introduced reports whether words before a chain say that it is somebody's name.
func (s *scanner) introduced(w word, c nameChain, before [3]string) bool {
	t := s.s
	gap := t[:w.start]
	strong := false
	switch {
	case strings.HasSuffix(gap, " is ") && before[1] == "name" && before[2] == "my":
		return true
	case strings.HasSuffix(gap, " am ") && before[1] == "i" || strings.HasSuffix(gap, " is ") && before[1] == "this":
		return given[w.lower] && c.words > 1
	case strings.HasSuffix(gap, " by ") && byWords[before[1]], strings.HasSuffix(gap, " to ") && before[1] == "assigned":
		return c.words > 1 && (given[w.lower] || family[c.last])
	}
	// name: …, "first_name": "…", first_name=…
	i := w.start
	for i > 0 && w.start-i < 6 && strings.IndexByte(" \"'=:", t[i-1]) >= 0 {
		i--
	}
	key := ""
	if sep := t[i:w.start]; strings.ContainsAny(sep, "=:") {
		for i > 0 && w.start-i < 32 && (is(t[i-1], isAlpha) || t[i-1] == '_') {
			i--
		}
		key = strings.ToLower(strings.TrimRight(t[i:w.start], " \"'=:"))
	} else if s.hint != "" && i == 0 {
		key = strings.ToLower(s.hint)
	} else if personWords[before[0]] && sep == " " {
		key = before[0]
		strong = true
	}
	switch strings.ReplaceAll(key, "_", "") {
	case "":
		return false
	case "firstname", "lastname", "surname", "givenname", "familyname", "middlename", "fullname":
		return true
	case "name", "author", "signed", "contact", "owner", "cc":
		return c.words > 1 && (given[w.lower] || family[c.last])
	}
	return (strong || personWords[key]) && c.words > 1 && (given[w.lower] || family[c.last])
}

// greeted reports whether a first name is in a greeting or signs a letter.
func (s *scanner) greeted(w word, before [3]string) bool {
	gap := s.s[:w.start]
	switch before[0] {
	case "hi", "hello", "dear", "hey", "liebe", "lieber", "hallo", "bonjour", "hola", "cher", "chère":
		return strings.HasSuffix(gap, " ") && !doubtful[w.lower] && (at(s.s, w.end) == ',' || at(s.s, w.end) == '!' || at(s.s, w.end) == '\n' || w.end == len(s.s))
	case "regards", "best", "thanks", "cheers", "sincerely", "yours", "greetings", "grüße", "cordialement", "saludos":
		return strings.HasSuffix(gap, "\n") && (at(s.s, w.end) == '\n' || w.end == len(s.s))
	}
	return false
}

var (
	titles = set(`mr mrs ms miss mx dr prof professor doctor sir lady frau herr fräulein mme mlle madame monsieur sr sra
		srta señor señora senor senora sig signor signora dott captain capt president nurse judge officer sergeant sgt
		lieutenant lt colonel col general gen reverend rev sister senator mayor`)
	weakTitles = set(`captain president nurse judge officer general sister senator mayor lady sir professor doctor gen col
		miss`)
	particles   = set(`van von der den de del della di da do dos du la le el al bin ibn ter ten zu af av`)
	byWords     = set(`reviewed written signed approved created reported authored filed prepared submitted edited`)
	personWords = set(`customer patient employee beneficiary tenant client applicant attendee recipient sender passenger
		guest student teacher manager assignee reviewer payee cardholder subscriber resident`)

	// First names, by frequency in the countries where English, German, French, Spanish,
	// Italian, Portuguese, Dutch, Polish, Russian, Arabic, Turkish, Hindi, Chinese,
	// Japanese and Korean names come from.
	given = set(`james robert john michael david william richard joseph thomas christopher charles daniel matthew anthony
		mark donald steven andrew paul joshua kenneth kevin brian timothy ronald george jason edward jeffrey ryan jacob
		nicholas gary eric jonathan stephen larry justin scott brandon benjamin samuel gregory alexander patrick frank
		raymond jack dennis jerry tyler aaron jose adam nathan henry zachary douglas peter kyle noah ethan jeremy walter
		christian keith roger terry austin sean gerald carl harold dylan arthur lawrence jordan jesse bryan billy bruce
		gabriel joe logan alan juan albert willie elijah wayne randy vincent mason roy ralph bobby russell bradley philip
		eugene ian oliver harry liam lucas leo max felix simon martin stefan hans jürgen klaus wolfgang dieter uwe jens
		lars sven björn anders erik nils olaf ole henrik fredrik johan karl kurt fritz otto günter günther helmut heinz
		rainer bernd jörg matthias florian tobias sebastian dominik lukas jonas niklas philipp moritz fabian
		pierre jean jacques michel françois francois philippe louis antoine guillaume nicolas julien mathieu olivier
		laurent thierry alain bernard gérard étienne rené marcel luc pascal yves
		carlos josé luis miguel antonio manuel francisco pedro javier jorge alejandro diego fernando rafael sergio andrés
		pablo ricardo eduardo roberto mario enrique raúl álvaro ignacio joaquín gonzalo santiago mateo
		giovanni giuseppe luca marco matteo alessandro lorenzo francesco andrea paolo stefano davide riccardo
		joão paulo tiago rui bruno thiago gustavo rodrigo
		jan piet pieter willem hendrik kees joost maarten jeroen wouter bram daan
		piotr krzysztof andrzej tomasz paweł michał marcin jakub zbigniew wojciech
		ivan dmitri dmitry sergei sergey alexei alexey vladimir mikhail nikolai andrei igor oleg boris yuri pavel viktor
		mohammed muhammad mohamed ahmed ali omar hassan hussein khalid ibrahim yusuf youssef mustafa abdullah tariq karim
		mehmet murat emre kemal orhan
		raj rahul amit sanjay vijay arjun rohan anil sunil ravi suresh ramesh deepak vikram arun krishna aditya
		wei ming jian hao jun lei chen feng hiroshi takashi kenji yuki satoshi akira haruto kazuki daisuke minho jihoon
		kwame kofi chukwuemeka oluwaseun tunde emeka nguyen tuan minh lars zoltán lászló istván gábor attila
		mary patricia jennifer linda elizabeth barbara susan jessica karen sarah lisa nancy sandra betty ashley emily
		kimberly margaret donna michelle carol amanda melissa deborah stephanie rebecca sharon laura cynthia dorothy amy
		kathleen angela shirley emma brenda pamela nicole anna samantha katherine christine helen debra rachel carolyn
		janet maria catherine heather diane olivia julie joyce victoria ruth virginia lauren kelly christina joan evelyn
		judith andrea hannah megan cheryl jacqueline martha madison teresa gloria sara janice ann kathryn abigail sophia
		frances jean alice judy isabella julia grace amber denise danielle marilyn beverly charlotte natalie theresa
		diana brittany doris kayla alexis lori marie sophie chloe lucy ella mia zoe lily eleanor harriet fiona
		claire charlotte camille juliette manon léa inès élodie aurélie céline sylvie nathalie isabelle véronique monique
		sabine petra monika ursula renate gisela ingrid heike birgit anja katja silke claudia susanne stefanie nadine
		lena lea leonie johanna franziska greta frida astrid karin kirsten
		maría carmen ana isabel pilar dolores rosa cristina elena lucía marta paula sofía valentina camila gabriela
		guadalupe giulia chiara francesca martina alessia federica valeria silvia paola
		joana beatriz inês mariana fernanda juliana agnieszka małgorzata katarzyna zofia magdalena joanna ewa
		olga natalia tatiana svetlana irina ekaterina anastasia ludmila galina nadezhda
		fatima aisha khadija layla leila zainab maryam amina noor yasmin ayşe elif zeynep
		priya anjali pooja neha kavita sunita deepa lakshmi divya shreya ananya
		mei ling xiu yan hui fang sakura yoko keiko yumi naomi haruka jiyeon soyeon
		chris mike dave tom bob jim steve dan matt tony andy ben sam alex kate jen liz beth meg katie jenny ted ron ken don greg
		jeff tim kim nina tina eva anne alexandra filip niels ann-marie jean-pierre
		zsófia katalin eszter ilona ngozi chiamaka amara adaeze`)

	// First names that are words, places or brands: believed only before a frequent last
	// name.
	doubtful = set(`will mark grant bill rose daisy may june april chase austin jordan charlotte sydney ruby julia frank jack
		martin victoria virginia georgia paris florence hope faith grace joy art dean drew earl guy lee pat ray rob sue
		dawn penny amber crystal jade summer autumn carol christian dale gene glen heath holly ivy iris lance max miles
		nick olive page pearl reed rich robin sandy violet wade alexa madison logan mason tyler kelly lea leo jean jan
		ming chen min wei jun hui fang mei ling yan noor ali rui marco diana gloria lori hans ole kurt minh lena ella`)

	family = set(`smith johnson williams brown jones garcia garcía miller davis rodriguez rodríguez martinez martínez
		hernandez hernández lopez lópez gonzalez gonzález wilson anderson thomas taylor moore jackson martin lee perez
		pérez thompson white harris sanchez sánchez clark ramirez ramírez lewis robinson walker young allen king wright
		scott torres nguyen hill flores green adams nelson baker hall rivera campbell mitchell carter roberts gomez gómez
		phillips evans turner diaz díaz parker cruz edwards collins reyes stewart morris morales murphy cook rogers
		gutierrez ortiz morgan cooper peterson bailey reed kelly howard ramos kim cox ward richardson watson brooks chavez
		wood james bennett gray mendoza ruiz hughes price alvarez castillo sanders patel myers long ross foster jimenez
		müller mueller schmidt schneider fischer weber meyer wagner becker schulz hoffmann schäfer koch bauer richter
		klein wolf schröder neumann schwarz zimmermann braun krüger hofmann hartmann lange schmitt werner
		dubois durand leroy moreau simon laurent lefebvre michel bertrand roux vincent fournier morel girard
		rossi russo ferrari esposito bianchi romano colombo ricci marino greco bruno gallo conti
		silva santos ferreira pereira oliveira costa rodrigues martins sousa fernandes gonçalves almeida
		de-jong jansen devries bakker visser smit meijer mulder nowak kowalski kowalska wiśniewski wójcik kamiński
		ivanov ivanova petrov petrova smirnov sidorov popov kuznetsov
		zhang wang li liu chen yang huang zhao wu zhou xu sun ma zhu guo lin tanaka suzuki sato satō takahashi watanabe
		ito yamamoto nakamura kobayashi park choi singh kumar sharma gupta khan ahmed hussain ali shah das rao reddy
		yılmaz kaya demir hansen johansen olsen larsen andersson johansson karlsson nilsson nagy kovács tóth szabó
		okafor adeyemi mensah o'brien o'neill o'connor murray walsh ryan byrne doyle gates holloway connolly`)

	// Words that are in no person's name, but in those of places, firms and things.
	notNames = set(`the a an and or of for in on at to from with by is are this that my your our his her all team madam sir
		everyone both folks there world again street st road rd avenue ave boulevard blvd bridge university college school
		airport bank river lake falls park hills city state county island islands hospital church opera house garden
		gardens lane square building tower center centre museum station stadium beach valley mountain foundation inc ltd
		llc gmbh corp corporation company group department office association institute society party award prize trophy
		cup law theorem algorithm transform model machine method test protocol license database table report payment
		access complete skill gems packages package code error day service server system project morning meeting
		afternoon evening night monday tuesday wednesday thursday friday saturday sunday january february march july
		august september october november december north south east west new united kingdom states america coffee pepper
		tea important news not sure name names important hole texas fargo stanley butterworth minister vice sales
		marketing engineering support software hardware linux apache foundation markov hidden implements whiskey tractor
		beer wine king's queen's first last best regards dear hello hi production staging development index internet
		street's rights act bill null none true false unknown anonymous admin user guest root test example`)
)
