package redact

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// notHash accepts what is more than a commit id, a digest or a UUID by itself:
// some rules take any such number for a key of their service.
func notHash(match, secret string) bool { return match != secret || !isHash(secret) }

// realKey judges what the rule for any key found. A number that could as well be
// a digest, a UUID or an entry's id is a secret only when the name right before
// it says so, and words are none.
func realKey(match, secret string) bool {
	secret = strings.TrimRight(secret, "=.")
	if strings.HasPrefix(secret, "mem_") {
		return false
	}
	if isHash(secret) {
		name, _, _ := strings.Cut(match, secret)
		return namesSecret(name)
	}
	return !wordlike(secret)
}

// namedSecret judges what is assigned to a name with secret, token or key in it.
func namedSecret(match, secret string) bool {
	name, _, _ := strings.Cut(match, secret)
	return !strings.HasPrefix(secret, "mem_") && namesSecret(name) && !wordlike(secret)
}

// isHash reports whether s is hex digits as of a commit or a file, with the name
// of the digest before it or not, or a UUID.
func isHash(s string) bool {
	if _, hex, ok := strings.Cut(s, ":"); ok {
		s = hex
	}
	if len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' {
		s = strings.ReplaceAll(s, "-", "")
	}
	s = strings.TrimPrefix(s, "0x")
	if len(s) < 7 || len(s) > 128 {
		return false
	}
	return strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// namesSecret reports whether the last word of name, which may be spelled as two,
// is one for a secret.
func namesSecret(name string) bool {
	name = strings.ToLower(strings.TrimRight(name, " \t\r\n'\"`=:>|?,"))
	joined := strings.NewReplacer(" ", "", "_", "", "-", "", ".", "", "\t", "").Replace(name)
	for _, word := range []string{"apikey", "accesskey", "secretkey", "privatekey", "authkey", "signingkey", "encryptionkey", "masterkey", "servicekey", "deploykey"} {
		if strings.HasSuffix(joined, word) {
			return true
		}
	}
	last := name[strings.LastIndexAny(name, " \t\n")+1:]
	for _, word := range []string{"secret", "token", "passw", "credential", "creds", "api_key", "api-key", "apikey"} {
		if strings.Contains(last, word) {
			return true
		}
	}
	return false
}

// follows has, for each letter from a on, the letters that often follow it in
// English and in identifiers: 249 pairs of 676, which are 95 % of those in the
// source of the Go standard library and a third of those of chance.
var follows = [26]string{
	"bcdfgiklmnprstuvy", "aeilorsuy", "acehiklortu", "adeilorsu", "acdefgilmnpqrstvwx",
	"aefilortu", "ehinorsu", "aeiot", "abcdefglmnoprstvxz", "", "aeis", "adeilostuy",
	"abeimopsu", "acdefgiklnostuvy", "abcdfgiklmnoprstuvw", "aeiloprstuy", "u",
	"acdefgikmnorstuvy", "acehiklopstuy", "acehiloprstuy", "abcefgilmnprst", "aei",
	"aehior", "ept", "lprst", "e",
}

// wordlike reports whether s is made of words, as an identifier or a path is,
// and not by chance: most neighbours in it are letters that often are, and few
// words or numbers begin without a separator.
func wordlike(s string) bool {
	usual, odd := 0, 0
	last, lastClass := byte(0), byte(0)
	for i := range len(s) {
		c, class := s[i]|0x20, caseOf(s[i])
		switch {
		case class == 0 || lastClass == 0: // _ - . / and the like only separate
		case class == '0': // numbers end words
		case lastClass == '0', lastClass == 'a' && class == 'A':
			odd++
		case strings.IndexByte(follows[last-'a'], c) >= 0:
			usual++
		default:
			odd++
		}
		last, lastClass = c, class
	}
	return usual > odd
}

func caseOf(c byte) byte {
	switch {
	case 'a' <= c && c <= 'z':
		return 'a'
	case 'A' <= c && c <= 'Z':
		return 'A'
	case '0' <= c && c <= '9':
		return '0'
	}
	return 0
}

// template reports whether s stands for a value instead of being one.
func template(s string) bool {
	if strings.ContainsAny(s, "<>{}") || strings.HasPrefix(s, "$") || strings.HasPrefix(s, "%") {
		return true
	}
	return strings.Trim(s, "*.xX-_•…") == ""
}

// filler has what examples write where a password would be.
var filler = []string{"pass", "passwd", "password", "pwd", "pw", "secret", "token", "user", "username", "userinfo", "pass1", "word", "yourpassword", "your-password", "your_password", "example", "string"}

func isFiller(s string) bool {
	for _, f := range filler {
		if strings.EqualFold(s, f) {
			return true
		}
	}
	return false
}

// technical has what follows the word password without being one: how it is
// stored, or what it is made with.
var technical = []string{"sha1", "sha2", "sha3", "sha224", "sha256", "sha384", "sha512", "md4", "md5", "argon2", "argon2i", "argon2d", "argon2id", "base32", "base64", "utf8", "oauth2", "pkcs1", "pkcs5", "pkcs8", "pkcs12", "pbkdf2", "s3", "aes128", "aes256", "ed25519", "x509", "rfc2617", "rfc7617", "i18n", "l10n", "v1", "v2", "int32", "int64", "uint32", "uint64"}

// realPassword judges what is assigned to a name for a password. quoted says that
// it stood in quotes.
func realPassword(s string, quoted bool) bool {
	if template(s) || isFiller(s) || strings.ContainsAny(s, "()[] \t") || !utf8.ValidString(s) {
		return false
	}
	if strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") || strings.Contains(s, "://") || strings.HasPrefix(s, "mem_") {
		return false
	}
	if len(s) < 12 && strings.HasPrefix(s, "0x") && isHash("0000000"+s[2:]) {
		return false // a number in code
	}
	for _, part := range strings.FieldsFunc(strings.ToLower(s), func(c rune) bool { return strings.ContainsRune("-_/.,", c) }) {
		for _, t := range technical {
			if part == t {
				return false
			}
		}
	}
	var lower, upper, digit, sign bool
	for i := range len(s) {
		switch class := caseOf(s[i]); {
		case class == 'a':
			lower = true
		case class == 'A':
			upper = true
		case class == '0':
			digit = true
		case strings.IndexByte("!@#$%^&*+?~=", s[i]) >= 0 && i < len(s)-1 || s[i] >= utf8.RuneSelf:
			sign = true
		}
	}
	if !quoted && strings.ContainsAny(s, "._-/") && !sign && wordlike(s) {
		return false // config.password2, see-section-4, internal/auth2
	}
	return (lower || upper) && (digit || sign)
}

// basicAuth reports whether s is a name and a password as HTTP basic
// authentication writes them (RFC 7617).
func basicAuth(s string) bool {
	raw, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		raw, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	}
	return err == nil && utf8.Valid(raw) && strings.Contains(string(raw), ":")
}
