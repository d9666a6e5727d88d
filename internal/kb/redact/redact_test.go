package redact

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"
)

const (
	hexDigits = "0123456789abcdef"
	upper     = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower     = "abcdefghijklmnopqrstuvwxyz"
	digits    = "0123456789"
	alnum     = upper + lower + digits
	base64s   = alnum + "+/"
)

// maker makes what looks like secrets when the test runs, so that this file has none.
type maker struct{ r *rand.Rand }

func newMaker(seed uint64) maker { return maker{rand.New(rand.NewPCG(seed, 7))} }

func (m maker) of(alphabet string, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = alphabet[m.r.IntN(len(alphabet))]
	}
	return string(out)
}

func (m maker) pem(kind string, lines int) (begin, body, end string) {
	var b strings.Builder
	for range lines {
		b.WriteString(m.of(base64s, 64) + "\n")
	}
	b.WriteString(m.of(base64s, 22) + "==\n")
	return "-----" + "BEGIN " + kind + "-----\n", b.String(), "-----" + "END " + kind + "-----"
}

func (m maker) jwt() string {
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	return part(`{"alg":"HS256","typ":"JWT"}`) + "." + part(`{"sub":"`+m.of(digits, 10)+`","iat":1516239022}`) + "." + m.of(alnum, 43)
}

// secretCase is a text and the part of it that must not stay.
type secretCase struct{ name, before, secret, after string }

func secretCases() []secretCase {
	m := newMaker(3)
	begin, body, end := m.pem("RSA PRIVATE"+" KEY", 6)
	begin2, body2, end2 := m.pem("PRIVATE"+" KEY", 3)
	begin3, body3, end3 := m.pem("OPENSSH PRIVATE"+" KEY", 5)
	begin4, body4, end4 := m.pem("PGP PRIVATE"+" KEY BLOCK", 4)
	uuid := m.of(hexDigits, 8) + "-" + m.of(hexDigits, 4) + "-" + m.of(hexDigits, 4) + "-" + m.of(hexDigits, 4) + "-" + m.of(hexDigits, 12)
	pw := "tR4" + m.of(alnum, 6) + "9"
	basic := base64.StdEncoding.EncodeToString([]byte("deploy:" + pw))
	key := "pass" + "word"
	return []secretCase{
		{"github classic", "use ", "gh" + "p_" + m.of(alnum, 36), " for the mirror"},
		{"github oauth", "token ", "gh" + "o_" + m.of(alnum, 36), ""},
		{"github app", "", "gh" + "s_" + m.of(alnum, 36), "\n"},
		{"github fine grained", "", "github" + "_pat_" + m.of(alnum+"_", 82), " expires"},
		{"gitlab", "see ", "gl" + "pat-" + m.of(alnum, 20), ""},
		{"gitlab deploy", "see ", "gl" + "dt-" + m.of(alnum, 20), ""},
		{"aws id", "id ", "AK" + "IA" + m.of("ABCDEFGHJKLMNPQRSTUVWXYZ234567", 16), " in eu-central-1"},
		{"aws secret env", "AWS_SECRET_ACCESS_KEY=", m.of(base64s, 40), ""},
		{"aws secret ini", "aws_secret_access_key = ", m.of(base64s, 40), "\nregion = eu"},
		{"aws secret json", `"SecretAccessKey": "`, m.of(base64s, 40), `",`},
		{"aws secret prose", "the AWS secret access key: ", m.of(base64s, 40), " (old)"},
		{"slack bot", "", "xox" + "b-" + m.of(digits, 11) + "-" + m.of(digits, 12) + "-" + m.of(alnum, 24), ""},
		{"slack webhook", "post to ", "https://hooks.slack" + ".com/services/T" + m.of(upper+digits, 8) + "/B" + m.of(upper+digits, 8) + "/" + m.of(alnum, 24), ""},
		{"stripe", "STRIPE=", "sk" + "_live_" + m.of(alnum, 24), ""},
		{"stripe restricted", "", "rk" + "_test_" + m.of(alnum, 30), " is set"},
		{"openai project", "OPENAI_API_KEY=", "sk" + "-proj-" + m.of(alnum, 48), ""},
		{"anthropic", "key ", "sk" + "-ant-api03-" + m.of(alnum, 93) + "AA", ""},
		{"anthropic short", "key ", "sk" + "-ant-" + m.of(alnum, 40), ""},
		{"google api", "maps: ", "AI" + "za" + m.of(alnum, 35), ""},
		{"google client", "", "GOC" + "SPX-" + m.of(alnum, 28), ""},
		{"npm", "//registry.npmjs.org/:_authToken=", "np" + "m_" + m.of(lower+digits, 36), ""},
		{"pypi", "", "py" + "pi-AgEIcHlwaS5vcmc" + m.of(alnum, 60), ""},
		{"sendgrid", "", "S" + "G." + m.of(alnum, 22) + "." + m.of(alnum, 43), ""},
		{"twilio", "sid ", "S" + "K" + m.of(hexDigits, 32), ""},
		{"hugging face", "", "h" + "f_" + m.of(lower, 34), ""},
		{"digitalocean", "", "do" + "p_v1_" + m.of(hexDigits, 64), ""},
		{"shopify", "", "shp" + "at_" + m.of(hexDigits, 32), ""},
		{"vault", "", "hv" + "s." + m.of(alnum, 95), ""},
		{"age", "", "AGE-SECRET" + "-KEY-1" + m.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58), ""},
		{"postman", "", "PM" + "AK-" + m.of(hexDigits, 24) + "-" + m.of(hexDigits, 34), ""},
		{"linear", "", "lin" + "_api_" + m.of(lower+digits, 40), ""},
		{"heroku", "HEROKU_API_KEY=", uuid, ""},
		{"azure storage", "AccountName=x;Account" + "Key=", m.of(base64s, 86) + "==", ";EndpointSuffix=core.windows.net"},

		{"postgres", "DATABASE_URL=postgres://app:", pw, "@db.internal:5432/app?sslmode=require"},
		{"postgres words", "postgresql://admin:", "hunter", "@localhost/app"},
		{"mysql", "mysql://root:", pw, "@10.0.0.3/shop"},
		{"mongodb", "mongodb+srv://svc:", pw, "@cluster0.example.net/?retryWrites=true"},
		{"redis without a name", "redis://:", pw, "@cache:6379/0"},
		{"amqp", "amqps://queue:", pw, "@mq.internal/vhost"},
		{"password with an at", "postgres://app:", pw + "@" + pw, "@db/app"},
		{"https", "git clone https://bot:", pw, "@git.example.com/x.git"},
		{"ftp", "ftp://daniel:", pw, "@files.example.com/"},
		{"mysql driver", `sql.Open("mysql", "app:`, pw, `@tcp(db:3306)/app")`},
		{"ado", "Server=db1;Database=x;User Id=sa;" + "Password=", "Winter" + "Is" + "Coming", ";Encrypt=yes"},
		{"libpq", "host=db1 user=app " + key + "=", "winteriscoming", " dbname=app"},

		{"rsa", "the key:\n", begin + body + end, "\nas PEM"},
		{"pkcs8", "", begin2 + body2 + end2, "\n"},
		{"openssh", "", begin3 + body3 + end3, ""},
		{"pgp", "", begin4 + body4 + end4, ""},
		{"pem without its end", "cat key.pem: ", begin + strings.TrimSuffix(body, "\n"), ""},
		{"pem without its beginning", "tail key.pem:\n", body2 + end2, " done"},
		{"pem in json", `{"private_key": "`, strings.ReplaceAll(begin2+body2+end2, "\n", `\n`), `\n"}`},

		{"jwt", "cookie ", m.jwt(), ", valid for an hour"},
		{"jwt in a header", "Authorization: Bearer ", m.jwt(), ""},
		{"bearer", "curl with Authorization: Bearer ", m.of(alnum, 32), ""},
		{"bearer alone", "it sends bearer ", m.of(alnum, 40), " each time"},
		{"basic", "Authorization: Basic ", basic, ""},
		{"curl user", "curl -u ", "deploy:" + pw, " https://example.com/up"},
		{"curl header", `curl -H "Authorization: Bearer `, m.of(alnum, 24), `" https://example.com`},
		{"curl api key", `curl -H 'X-Api-Key: `, m.of(alnum, 24), `' https://example.com`},

		{"password equals", key + "=", "hunter2", ""},
		{"password upper", "PASS" + "WORD: ", "hunter2!", ""},
		{"password env", "export PG" + "PASSWORD=", pw, " psql"},
		{"password yaml", "  " + key + ": ", pw, "\n  user: app"},
		{"password json", `"` + key + `": "`, pw, `", "user": "app"`},
		{"password go", key + ` := "`, pw, `"`},
		{"password quoted single", "db_" + key + " = '", "correct-horse-battery-9", "'"},
		{"password flag", "mysql --" + key + " ", pw, " -h db"},
		{"password signs", "passwd: ", "P@ss" + "w0rd!", ", as always"},
		{"password at the end of a sentence", "The " + key + ": ", "hunter2", "."},
		{"passphrase", "pass" + "phrase = ", "zebra-lamp-77-quill!x", ""},
		{"db pass", "DB_" + "PASS=", pw, ""},
		{"password in prose", "The staging " + key + " is ", "Tr0ub4" + "dor&3", ", ask Ann"},
		{"password word in the environment", "DB_PASS" + "WORD=", "supersecretword", " make run"},
		{"aws id of the documentation", "AWS_ACCESS_KEY_ID=", "AKIA" + "IOSFODNN7EXAMPLE", ""},
		{"aws secret of the documentation", "AWS_SECRET_ACCESS_KEY=", "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY", ""},
		{"github in order", "", "gh" + "p_" + lower + digits, ""},
		{"openai", "OPENAI_API_KEY=", "sk" + "-" + m.of(alnum, 48), ""},
		{"slack user", "", "xox" + "p-" + m.of(digits, 12) + "-" + m.of(digits, 12) + "-" + m.of(alnum, 24), ""},
		{"stripe in order", "", "sk" + "_live_" + "abcdefghijklmnopqrstuvwx", ""},
		{"netrc", "machine api.example.com login daniel " + key + " ", "qwertyuiop", ""},
		{"netrc lines", "machine api.example.com\n  login daniel\n  " + key + " ", pw, "\n"},

		{"api key", "api_key = ", m.of(alnum, 32), ""},
		{"api key json", `"apiKey": "`, m.of(alnum, 40), `"`},
		{"client secret", "CLIENT_SECRET=", m.of(alnum, 32), ""},
		{"secret in hex", "SECRET_KEY_BASE=", m.of(hexDigits, 64), ""},
		{"token uuid", "auth_token: ", uuid, ""},
		{"in unicode", "Schlüssel für Müller – api_key: ", m.of(alnum, 32), " ✓"},
	}
}

func TestSecretsGo(t *testing.T) {
	t.Parallel()
	cases := secretCases()
	if len(cases) < 60 {
		t.Errorf("%d cases, want at least 60", len(cases))
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			text := c.before + c.secret + c.after
			out, n := Text(text)
			if n == 0 || strings.Contains(out, strings.TrimSpace(c.secret)) {
				t.Fatalf("%q stays: %q", c.secret, out)
			}
			for line := range strings.Lines(c.secret) {
				if line = strings.TrimSpace(line); len(line) > 5 && strings.Contains(out, line) {
					t.Errorf("%q of it stays", line)
				}
			}
			// What is around the secret stays, unless a rule of gitleaks takes
			// the value with its name.
			if !strings.HasSuffix(out, c.after) {
				t.Errorf("what follows is lost: %q", out)
			}
			if rest, ok := strings.CutPrefix(out, c.before); !ok || !strings.HasPrefix(rest, markerStart) {
				t.Errorf("%q is not where the secret was", out)
			}
		})
	}
}

func TestWhatIsNoSecretStays(t *testing.T) {
	t.Parallel()
	m := newMaker(5)
	sha, sha256 := m.of(hexDigits, 40), m.of(hexDigits, 64)
	uuid := m.of(hexDigits, 8) + "-" + m.of(hexDigits, 4) + "-4" + m.of(hexDigits, 3) + "-a" + m.of(hexDigits, 3) + "-" + m.of(hexDigits, 12)
	begin, _, end := m.pem("RSA PRIVATE"+" KEY", 1)
	cases := []string{
		"", " ", "plain", "Grüße – ✓ 日本語",
		"the token is refreshed every hour",
		"password: must be long",
		"password: must-be-at-least-12-characters",
		"Password: required, 8-64 characters",
		"passwords are hashed with argon2id",
		"password: argon2id, 64 MiB",
		"password hash: bcrypt",
		"password = string",
		`"password": "string"`,
		`password: "required"`,
		"password := os.Getenv(\"DB_PASSWORD\")",
		"password: process.env.DB_PASSWORD2",
		"password = cfg.Auth.Password2",
		"password=$DB_PASSWORD",
		"password=${DB_PASSWORD:-x1}",
		"password: {{ .Values.db.password1 }}",
		"password: <your password 1>",
		"password=********",
		"password=xxxxxxxx",
		"password: %s",
		"PASSWORD=/run/secrets/db1",
		"--password-file /etc/app/pw1",
		"--password is read from stdin since 2.1.0",
		"The password field has 16 characters",
		"the password is hashed with sha256", "the password is base64url-encoded", "password is required",
		"PASSWORD=secret", "ghp_" + strings.Repeat("x", 36), "sk-learn-contrib-package-index-tools", "task-force-and-risk-assessment-2024",
		"passwordVersion = 0x01", "machine string\n\tlogin string\n\tpassword string",
		"pwd: /home/user1/project2",
		"PWD=/home/user1/project2",
		"pass: 12/12 tests",
		"--- PASS: TestParse2 (0.01s)",
		"PASS: TestClaim3",
		"bypass=v2ray5 is not what we mean",
		"compass: needle22",
		"a pass through the tree costs O(n2)",
		"passed=17 failed=3",
		"first_pass: parse2tokens",
		"the secret is to keep the index small",
		"secret: keep it small",
		"API key: see the vault",
		"api_key: string",
		"apiKey = config.GetString(\"api.key\")",
		"key = strings.ToLower(name)",
		"key: internal/kb/log2/frame.go",
		"key := sha256Sum2Value",
		"tokens: 128000 of 200000",
		"token count = 4096",
		"token = parser.nextToken2",
		"token: tokenizer.Next2Token",
		"max_tokens=1234567890123",
		"access = read-write",
		"access_mode: ReadWriteOnce",
		"author: Jane-Doe-1984",
		"auth: handled in internal/auth2/session.go",
		"authentication: oauth2-proxy-v7",
		"Authorization: Bearer token",
		"Authorization: Bearer <token>",
		"Authorization: Basic authentication",
		"Authorization: Bearer $TOKEN",
		"the Authorization header has a Bearer token, which expires",
		"bearer authentication-middleware",
		"basic knowledge of the tree",
		"Basic authentication2",
		"commit " + sha, "commit: " + sha, sha, "see " + sha[:12],
		"commit key: " + sha, "cache key = " + sha256, "key=" + sha,
		"sha256:" + sha256, "digest: sha256:" + sha256, "h1:" + m.of(base64s, 43) + "=",
		"github.com/pelletier/go-toml/v2 v2.4.3 h1:" + m.of(base64s, 43) + "=",
		"uuid " + uuid, "request key: " + uuid, "idempotency-key: " + uuid, "key " + uuid,
		"sourcegraph indexes " + sha,
		"token in commit: " + sha,
		"mem_2026-06-18_auth-retry_a1b2",
		"token: mem_2026-06-18_auth-retry_a1b2c3d4",
		"secret=mem_2026-06-18_api-key-rotation_9f3e",
		"api_key see mem_2026-01-02_token-refresh_0a9b8c7d",
		"http://localhost:8080/@user",
		"https://example.com/a:b@c",
		"http://user:password@example.com",
		"https://$USER:$PASSWORD@example.com",
		"postgres://<user>:<password>@host/db",
		"postgres://${USER}:${PASS}@host/db",
		"postgres://localhost:5432/app?email=a@example.com",
		"postgres://app@db.internal/app",
		"ssh://git@github.com:22/x.git",
		"git@github.com:helix/helix.git",
		"mailto:a@example.com",
		"keys begin with " + strings.TrimSpace(begin),
		begin + "...\n" + end,
		begin + "base64 of the key\n" + end,
		"a JWT is eyJ... and has three parts",
		"eyJhbGciOi is how they begin",
		"AKIA is the prefix of AWS key ids",
		"AWS_SECRET_ACCESS_KEY is read from the environment",
		"aws key: see 1password",
		"ghp_ tokens have 36 characters after the prefix",
		"sk-ant- and sk-proj- are prefixes",
		"machine learning default login page password reset",
		"the default login is admin",
		"curl -u user https://example.com",
		"curl -H 'Content-Type: application/json'",
		"BenchmarkKeywordScan2-8   1000000   212.5 ns/op",
		"func NewTokenBucket(rate float64, burst int) *TokenBucket",
		"HELIX_SESSION_TOKEN_FILE=/var/run/helix/token1.json",
		"key_length=2048, key_id=4, public_key=" + sha[:16],
		"primary_key: user_id_2, account_id_3",
		"data:image/png;base64," + m.of(base64s, 80),
		"keyword=value1234567",
		"https://example.com/token?next=/home/user1/list2",
		"integrity sha512-" + m.of(base64s, 86) + "==",
	}
	if len(cases) < 80 {
		t.Errorf("%d cases, want at least 80", len(cases))
	}
	for _, text := range cases {
		if out, n := Text(text); n != 0 || out != text {
			t.Errorf("%q became %q (%d, %v)", text, out, n, Find(text))
		}
	}
}
