package source

// syntax is what the scanner must know of a language.
type syntax struct {
	lineComment  string
	blockComment bool // /* … */
	nested       bool // block comments nest
	quotes       string
	multiline    bool // a string may go over line ends
	triple       bool // Python's long strings, and prefixes before the quote
	template     bool // `…${…}…`
	regex        bool // /…/
	lifetimes    bool // 'a is a lifetime and 'a' a character; r#"…"#
	preprocessor bool // # lines
	rawString    bool // R"x(…)x"
	identifier   string
}

var syntaxes = map[string]*syntax{
	"python":     {lineComment: "#", quotes: `"'`, triple: true},
	"javascript": {lineComment: "//", blockComment: true, quotes: `"'`, template: true, regex: true, identifier: "$#"},
	"typescript": {lineComment: "//", blockComment: true, quotes: `"'`, template: true, regex: true, identifier: "$#"},
	"rust":       {lineComment: "//", blockComment: true, nested: true, quotes: `"`, multiline: true, lifetimes: true},
	"java":       {lineComment: "//", blockComment: true, quotes: `"'`, triple: true, identifier: "$"},
	"c":          {lineComment: "//", blockComment: true, quotes: `"'`, preprocessor: true, identifier: "$"},
	"cpp":        {lineComment: "//", blockComment: true, quotes: `"'`, preprocessor: true, rawString: true, identifier: "$"},
}
