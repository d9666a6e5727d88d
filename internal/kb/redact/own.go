package redact

import "strings"

// ownRules are the rules for what gitleaks does not look for, or only in part.
// They come before those of gitleaks, so that the marker names the plainer kind.
func ownRules() []*rule {
	return []*rule{
		{
			id: "private-key", keywords: []string{"private key"},
			search: privateKeys,
		},
		{
			// scheme://user:password@host. What is before the last @ of the
			// authority is the password, since people forget to escape.
			id: "url-password", keywords: []string{"://"}, needs: "@",
			pattern: "(?i)\\b([a-z][a-z0-9+.-]{1,20})://[^\\s:/@?#'\"`<>]*:(?P<secret>[^\\s/'\"`<>]+)@[^\\s@'\"`<>]", group: 2,
			real: func(match, secret string) bool {
				scheme, _, _ := strings.Cut(match, "://")
				return !template(secret) && (store(scheme) || !isFiller(secret))
			},
		},
		{
			// Server=…;Password=…; and host=… password=…
			id: "connection-string", keywords: []string{"password=", "pwd="},
			pattern: `(?i)(?:\b(?:server|data source|host|addr)=[^\n]{1,200}?[; ](?:password|pwd)=([^\s;"'` + "`" + `]+)|\b(?:password|pwd)=([^\s;"'` + "`" + `]+)[; ][^\n]{0,200}?\b(?:server|data source|host)=)`,
			real:    func(_, secret string) bool { return !template(secret) },
		},
		{
			// user:password@tcp(host:port)/name, as the MySQL driver of Go wants it
			id: "connection-string", keywords: []string{"@tcp(", "@unix("},
			pattern: `[\w.-]+:([^\s:@/'"` + "`" + `]+)@(?:tcp|unix)\(`,
			real:    func(_, secret string) bool { return !template(secret) },
		},
		{
			id: "azure-account-key", keywords: []string{"accountkey=", "sharedaccesskey="},
			pattern: `(?i)(?:account|sharedaccess)key=([a-z0-9+/]{40,}={0,2})`,
		},
		{
			id: "authorization-header", keywords: []string{"authorization"},
			pattern: `(?i)\bauthorization["']?[ \t]{0,3}[:=,][ \t]{0,3}["']?(?:bearer|token|apikey|api-key|digest|negotiate)[ \t]+([\w.~+/=-]{8,})`,
			real:    func(_, secret string) bool { return !wordlike(secret) },
		},
		{
			id: "authorization-header", keywords: []string{"basic "},
			pattern: `(?i)\bbasic[ \t]+([a-z0-9+/]{8,}={0,2})`,
			real:    func(_, secret string) bool { return basicAuth(secret) },
		},
		{
			id: "bearer-token", keywords: []string{"bearer "},
			pattern: `(?i)\bbearer[ \t]+([\w.~+/=-]{16,})`,
			real:    func(_, secret string) bool { return !wordlike(secret) },
		},
		{
			id: "jwt", keywords: []string{"eyj"},
			pattern: `\beyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?`,
		},
		{
			id: "aws-secret-access-key", keywords: []string{"aws", "secretaccesskey", "secret_access_key", "secret access key"}, where: assigned,
			pattern: `(?i)(?:aws[\w .-]{0,30}|secret[_ -]?access[_ -]?)key(?:[_ -]?id)?["']?[ \t]{0,3}(?:=>|:=|=|:)[ \t]{0,3}["']?([a-z0-9/+]{40})(?:[^a-z0-9/+=]|$)`,
			real:    func(_, secret string) bool { return !isHash(secret) && !wordlike(secret) },
		},
		{
			// gitleaks leaves those alone that end in EXAMPLE.
			id: "aws-access-key-id", keywords: []string{"akia", "asia"}, where: long,
			pattern: `\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
		},
		{
			id: "ai-service-key", keywords: []string{"sk-"}, where: long,
			pattern: `\bsk-(?:(?:ant|proj|svcacct|or-v1)-[\w-]{20,}|[A-Za-z0-9]{32,})`,
			real:    func(_, secret string) bool { return !wordlike(secret[len("sk-"):]) },
		},
		{
			// What begins like this and is that long is a token, whether gitleaks
			// finds it random or not.
			id: "service-token", keywords: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "npm_", "_live_"}, where: long,
			pattern: `\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{60,}|glpat-[\w-]{20,}|xox[bp]-[\d-]{10,}[\w-]+|npm_[A-Za-z0-9]{36}|[sr]k_live_[A-Za-z0-9]{20,})`,
			real: func(_, secret string) bool {
				_, value, _ := strings.Cut(strings.ReplaceAll(secret, "-", "_"), "_")
				return strings.Trim(value, "xX_.*") != ""
			},
		},
		{
			id: "google-client-secret", keywords: []string{"gocspx-"},
			pattern: `\bGOCSPX-[\w-]{20,}`,
		},
		{
			id: "netrc-password", keywords: []string{"machine", "default"}, needs: "login",
			pattern: `(?m)(?:\bmachine[ \t\n]+\S+|^[ \t]*default)[ \t\n]+login[ \t\n]+\S+[ \t\n]+password[ \t\n]+(\S+)`,
			real:    func(_, secret string) bool { return !template(secret) && !isFiller(secret) },
		},
		{
			// As the rule of gitleaks for any key, but where the name says that it
			// is a secret and the value is long and by chance, a word that happens
			// to be in it does not make it harmless.
			id: "named-secret", keywords: []string{"secret", "token", "key", "credential"}, where: assigned,
			pattern: `(?i)[\w.-]{0,50}?(?:secret|token|key|credential)[\w.-]{0,20}["']?[ \t]{0,3}(?:=>|:=|=|:)[ \t]{0,3}["']?([\w.+/-]{20,150}={0,3})(?:[^\w.+/=(\[-]|$)`,
			entropy: 3.5,
			real:    namedSecret,
		},
		{
			id: "password", keywords: []string{"pass", "pwd"},
			search: passwords,
		},
	}
}

// store reports whether URLs of that scheme lead to a database or a queue: an
// address with a password is then written down to be used, whatever it looks like.
func store(scheme string) bool {
	scheme, _, _ = strings.Cut(strings.ToLower(scheme), "+")
	switch scheme {
	case "postgres", "postgresql", "mysql", "mariadb", "mongodb", "redis", "rediss", "amqp", "amqps", "mssql", "sqlserver", "oracle", "cockroachdb", "clickhouse", "nats", "kafka", "couchbase", "cassandra", "neo4j", "bolt", "memcached":
		return true
	}
	return false
}
