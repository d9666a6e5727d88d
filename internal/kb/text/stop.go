package text

// Stop reports whether a folded word is one of those that nearly every English
// text has. A query leaves them out unless it has nothing else.
func Stop(word string) bool {
	switch word {
	case "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at",
		"be", "because", "been", "before", "being", "both", "but", "by",
		"can", "could", "did", "do", "does", "doing", "each", "either",
		"for", "from", "had", "has", "have", "having", "he", "her", "here", "his", "how",
		"i", "if", "in", "into", "is", "it", "its", "itself", "just",
		"may", "me", "might", "more", "most", "must", "my", "no", "nor", "not",
		"of", "on", "once", "one", "only", "or", "other", "our", "out", "over", "own",
		"same", "shall", "she", "should", "since", "so", "some", "such",
		"than", "that", "the", "their", "them", "then", "there", "these", "they",
		"this", "those", "through", "thus", "to", "too", "until", "upon", "us", "use", "used", "uses", "using",
		"very", "was", "we", "were", "what", "when", "where", "whether", "which", "while", "who", "whose", "why",
		"will", "with", "within", "without", "would", "you", "your":
		return true
	}
	return false
}
