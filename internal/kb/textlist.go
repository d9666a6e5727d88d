package kb

import (
	"encoding/json"
	"errors"
	"strings"
)

// List is a list of texts. In JSON it may also be one text with commas between
// them, as the tags of the original program are.
type List []string

// UnmarshalJSON reads both forms.
func (l *List) UnmarshalJSON(data []byte) error {
	var list []string
	if err := json.Unmarshal(data, &list); err == nil {
		*l = list
		return nil
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return errors.New(`a list is wanted, such as ["a", "b"], or one text with commas: "a, b"`)
	}
	*l = List{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			*l = append(*l, part)
		}
	}
	return nil
}
