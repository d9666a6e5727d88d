#include "textflag.h"

// func instruction(sum uint32, b []byte) uint32
TEXT ·instruction(SB), NOSPLIT, $0-36
	MOVWU sum+0(FP), R0
	MOVD  b_base+8(FP), R1
	MOVD  b_len+16(FP), R2
	MVNW  R0, R0

eight:
	CMP     $8, R2
	BLO     one
	MOVD.P  8(R1), R3
	CRC32CX R3, R0
	SUB     $8, R2
	B       eight

one:
	CBZ     R2, done
	MOVBU.P 1(R1), R3
	CRC32CB R3, R0
	SUB     $1, R2
	B       one

done:
	MVNW R0, R0
	MOVW R0, ret+32(FP)
	RET
