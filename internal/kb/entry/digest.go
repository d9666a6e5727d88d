package entry

import "encoding/hex"

// digest tells values apart in ids: FNV-1a, twice with different beginnings, each
// spread by the finaliser of MurmurHash3. It is not meant against someone who
// builds collisions, and unlike crypto/sha256 it adds nothing to the start of a
// process.
type digest [2]uint64

func newDigest() *digest { return &digest{0xcbf29ce484222325, 0x84222325cbf29ce4} }

func (d *digest) Write(b []byte) {
	for _, c := range b {
		d[0] = (d[0] ^ uint64(c)) * 0x100000001b3
		d[1] = (d[1] ^ uint64(c)) * 0x100000001b3
	}
}

// hex gives 32 digits.
func (d *digest) hex() string {
	var out [16]byte
	for i, h := range d {
		h ^= h >> 33
		h *= 0xff51afd7ed558ccd
		h ^= h >> 33
		h *= 0xc4ceb9fe1a85ec53
		h ^= h >> 33
		for j := range 8 {
			out[8*i+j] = byte(h >> (8 * j))
		}
	}
	return hex.EncodeToString(out[:])
}
