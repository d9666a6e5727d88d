// Package redact finds secrets in text before the text is stored, and replaces
// each by a marker that says which rule found it:
//
//	out, n := redact.Text("export TOKEN=…")   // "export TOKEN=[redacted: generic-api-key]", 1
//
// The rules are those of gitleaks, whose rule file lies unchanged in rules/
// (rules/README.md says which version and how to refresh it), and the table in
// own.go for what that set lacks. Two things keep plain text cheap: one pass over
// the bytes looks for the keywords of all rules at once (keywords.go), and a rule
// whose keyword is there sees only the places where a value could be that is long
// enough to be a secret (windows.go). Nothing is parsed or compiled before the
// first text, and no expression before a text with its keyword.
//
// What looks like a secret and is none matters as much: prose about passwords,
// commit hashes, UUIDs, ids of entries, identifiers in code. shape.go has the
// judgement, redact_test.go the cases.
package redact
