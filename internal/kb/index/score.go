package index

import "math"

// BM25F (Robertson, Zaragoza, Taylor 2004): occurrences in the fields of a
// document are weighted, each normalised by the length of its field, and added up
// before they saturate.
const (
	k1 = 1.2
	// bonus is what a word counts extra where it stands as it was asked for and not
	// in another inflection.
	bonus = 0.25
)

var (
	fieldWeight = [fields]float32{fieldText: 1, fieldTopic: 2, fieldTags: 1.5, fieldSource: 1}
	fieldB      = [fields]float32{fieldText: 0.75, fieldTopic: 0.5, fieldTags: 0.5, fieldSource: 0.5}
)

// weigher gives the weighted, normalised frequency of a posting for given average
// lengths.
type weigher struct {
	base  [fields]float32 // 1-b
	slope [fields]float32 // b/average
}

func newWeigher(avg [fields]float32) (w weigher) {
	for f := range fields {
		w.base[f] = (1 - fieldB[f]) / fieldWeight[f]
		w.slope[f] = fieldB[f] / avg[f] / fieldWeight[f]
	}
	return w
}

func (w *weigher) freq(code byte, norm []byte) float32 {
	var tf float32
	if n := code & codeText; n != 0 {
		tf = float32(n) / (w.base[fieldText] + w.slope[fieldText]*float32(le.Uint16(norm)))
	}
	if code&^codeText == 0 {
		return tf
	}
	if code&codeTopic != 0 {
		tf += 1 / (w.base[fieldTopic] + w.slope[fieldTopic]*float32(norm[2]))
	}
	if code&codeTags != 0 {
		tf += 1 / (w.base[fieldTags] + w.slope[fieldTags]*float32(norm[3]))
	}
	if code&codeSource != 0 {
		tf += 1 / (w.base[fieldSource] + w.slope[fieldSource]*float32(norm[4]))
	}
	return tf
}

// saturate is the score of a frequency, before idf: 0 to 1.
func saturate(tf float32) float32 { return tf / (k1 + tf) }

// slack is how much larger a frequency can be under the averages now than under
// those with which the maxima of a segment were computed.
func slack(built, now [fields]float32) float32 {
	s := float32(1)
	for f := range fields {
		s = max(s, now[f]/built[f])
	}
	return s
}

func idf(docs, df int) float32 {
	return float32(math.Log(1 + (float64(docs-df)+0.5)/(float64(df)+0.5)))
}

// quality is what a document keeps of its score: at most all, at least a third, so
// that no entry disappears for being old or doubtful. Confidence counts for up to
// a half; age for up to a sixth, with a half-life of 90 days; credit from the
// outcome of cycles for up to a quarter.
func quality(conf uint8, m *meta, now int64) float32 {
	q := 0.5 + float32(conf)/510
	if age := float64(now-m.created) / (90 * 24 * 3600 * 1000); age > 0 {
		q *= float32(5.0/6 + math.Exp2(-age)/6)
	}
	// The mean of the Beta posterior of having helped, from a prior of Beta(2, 2).
	p := (float32(m.helped) + 2) / (float32(m.helped) + float32(m.harmed) + 4)
	return q * (0.75 + p/4)
}
