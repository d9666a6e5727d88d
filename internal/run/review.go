package run

// NeedsReview tells whether a landed change is large enough to be reviewed: at
// least lines changed lines, or at least three files (original-cli.md, 2.6). An
// unknown size is reviewed.
func NeedsReview(changed, files int, err error, lines int) bool {
	return err != nil || changed >= lines || files >= 3
}
