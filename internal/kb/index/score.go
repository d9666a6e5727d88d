package index

import "math"

// BM25F (Robertson, Zaragoza, Taylor 2004): occurrences in the fields of a
// document are weighted and added up before they saturate.
const (
	k1 = 1.2
	// bonus is what a word counts extra where it stands as it was asked for and not
	// in another inflection.
	bonus = 0.25
)

// The text is normalised by its length. The other fields have a word or three; where
// one has a word counts as that many occurrences in a text of average length.
const (
	textB        = 0.75
	topicWeight  = 2
	tagsWeight   = 1.5
	sourceWeight = 1
)

// weigher gives the weighted, normalised frequency of a posting for a given average
// length.
type weigher [256]float32 // by code of the length: what one occurrence in the text counts

func newWeigher(avg float32) (w weigher) {
	step, at := math.Exp2(1.0/8), 1.0
	for code := range w {
		w[code] = 1 / (1 - textB + textB*float32(at-1)/avg)
		at *= step // as lengthCode has it
	}
	return w
}

func (w *weigher) freq(code, length byte) float32 {
	tf := float32(code&codeText) * w[length]
	if code&^codeText == 0 {
		return tf
	}
	if code&codeTopic != 0 {
		tf += topicWeight
	}
	if code&codeTags != 0 {
		tf += tagsWeight
	}
	if code&codeSource != 0 {
		tf += sourceWeight
	}
	return tf
}

// saturate is the score of a frequency, before idf: 0 to 1.
func saturate(tf float32) float32 { return tf / (k1 + tf) }

// slack is how much larger a frequency can be under the average length now than
// under that with which the maxima of a segment were computed.
func slack(built, now float32) float32 { return max(1, now/built) }

// average is the average length of a text in words, at least 1.
func average(words uint64, docs int) float32 {
	return float32(math.Max(1, float64(words)/math.Max(1, float64(docs))))
}

func idf(docs, df int) float32 {
	return float32(math.Log(1 + (float64(docs-df)+0.5)/(float64(df)+0.5)))
}

// quality is what a document keeps of its score: at most all, at least a third, so
// that no entry disappears for being old or doubtful. Confidence counts for up to
// a half; age for up to a sixth, with a half-life of 90 days; credit from the
// outcome of cycles for up to a quarter.
func quality(n norm, today int, f *fades) float32 {
	return (0.5 + float32(n.conf)/510) * (0.75 + float32(n.credit)/1020) * f.of(today-int(n.day))
}

// quality is at least that of each document of the segment.
func (h *header) quality(today int, f *fades) float32 {
	return quality(norm{conf: h.conf, credit: h.credit, day: dayOf(h.max)}, today, f)
}

// fades remembers what is left at an age in days, for the ages that a search meets.
type fades struct {
	age  [256]uint16 // + 1, by its lower bits
	left [256]float32
}

func (f *fades) of(age int) float32 {
	if age <= 0 {
		return 1
	}
	i := age & 255
	if int(f.age[i]) != age+1 {
		f.left[i] = float32(5.0/6 + math.Exp2(-float64(age)/90)/6)
		f.age[i] = uint16(min(age+1, math.MaxUint16))
	}
	return f.left[i]
}

// elsewhere is what the knowledge of another project keeps of its score: it may help,
// and where both fit alike, that of the own project stands first.
const elsewhere = 0.75

// creditCode is the mean of the Beta posterior of having helped, from a prior of
// Beta(2, 2), as a byte.
func creditCode(helped, harmed int) uint8 {
	return uint8(math.Round(255 * (float64(helped) + 2) / (float64(helped) + float64(harmed) + 4)))
}

// dayOf is the day of a time in milliseconds, within what two bytes hold.
func dayOf(ms int64) uint16 {
	return uint16(max(0, min(ms/(24*3600*1000), math.MaxUint16)))
}
