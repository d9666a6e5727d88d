package entry

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// Vector is the embedding of an entry's text by one model. An entry has at most
// one vector of each model: a later one replaces it.
type Vector struct {
	ID       string // of the entry
	Model    string
	TextHash string // TextHash of the text that was embedded; differs once the text has changed
	Values   []float32
}

// Validate says in one line what is wrong with v, or nil.
func (v *Vector) Validate() error {
	if err := checkID("id", v.ID); err != nil {
		return err
	}
	if v.Model == "" {
		return invalid("the model of the vector is empty")
	}
	if err := checkField("model", v.Model, MaxField); err != nil {
		return err
	}
	if err := checkField("text hash", v.TextHash, MaxField); err != nil {
		return err
	}
	if len(v.Values) == 0 || len(v.Values) > MaxVector {
		return invalid("the vector has %d numbers, 1 to %d are allowed", len(v.Values), MaxVector)
	}
	for i, f := range v.Values {
		if math.IsNaN(float64(f)) || math.IsInf(float64(f), 0) {
			return invalid("number %d of the vector is not finite", i)
		}
	}
	return nil
}

// EncodeVector gives the stored form: metadata lines, an empty line, and the
// numbers as little-endian float32.
func EncodeVector(v *Vector) string {
	var w writer
	w.text("id", v.ID)
	w.text("model", v.Model)
	w.text("text", v.TextHash)
	w.line("format", "f32")
	w.line("length", fmt.Sprint(len(v.Values)))
	w.WriteByte('\n')
	var b [4]byte
	for _, f := range v.Values {
		binary.LittleEndian.PutUint32(b[:], math.Float32bits(f))
		w.Write(b[:])
	}
	return w.String()
}

// DecodeVector reads what EncodeVector wrote.
func DecodeVector(body string) (Vector, error) {
	v, data, err := decodeVectorHead(body)
	if err != nil {
		return Vector{}, err
	}
	v.Values = make([]float32, len(data)/4)
	for i := range v.Values {
		v.Values[i] = math.Float32frombits(binary.LittleEndian.Uint32([]byte(data[4*i : 4*i+4])))
	}
	return v, nil
}

// PeekVector reads whose vector it is and of which model, without the numbers.
func PeekVector(body string) (id, model string, err error) {
	v, _, err := decodeVectorHead(body)
	return v.ID, v.Model, err
}

// decodeVectorHead reads the metadata lines and gives the bytes of the numbers.
func decodeVectorHead(body string) (v Vector, data string, err error) {
	head, data, ok := strings.Cut(body, "\n\n")
	format, length := "", -1
	for ok && head != "" {
		var line string
		line, head = cutLine(head)
		key, raw, isMeta := splitMeta(line)
		value, unescaped := unescape(raw)
		if !isMeta || !unescaped {
			ok = false
			break
		}
		switch key {
		case "id":
			v.ID = value
		case "model":
			v.Model = value
		case "text":
			v.TextHash = value
		case "format":
			format = value
		case "length":
			set(&length, value, parseCount)
		}
	}
	if !ok || v.ID == "" || format != "f32" || length > MaxVector || len(data) != 4*length {
		return Vector{}, "", fmt.Errorf("entry: %w: not a vector of %d float32", ErrMalformed, length)
	}
	return v, data, nil
}
