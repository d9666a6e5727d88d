#include "textflag.h"

// func instruction(sum uint32, b []byte) uint32
TEXT ·instruction(SB), NOSPLIT, $0-36
	MOVL sum+0(FP), AX
	MOVQ b_base+8(FP), SI
	MOVQ b_len+16(FP), CX
	NOTL AX

eight:
	CMPQ   CX, $8
	JB     one
	CRC32Q (SI), AX
	ADDQ   $8, SI
	SUBQ   $8, CX
	JMP    eight

one:
	TESTQ  CX, CX
	JZ     done
	CRC32B (SI), AX
	INCQ   SI
	DECQ   CX
	JMP    one

done:
	NOTL AX
	MOVL AX, ret+32(FP)
	RET

// func sse42() bool
TEXT ·sse42(SB), NOSPLIT, $0-1
	MOVL $1, AX
	XORL CX, CX
	CPUID
	SHRL $20, CX
	ANDL $1, CX
	MOVB CX, ret+0(FP)
	RET
