package main

import (
	"fmt"
	"math"
)

// depth is how many documents of a ranking count.
const depth = 10

// quality is the means over all queries.
type quality struct {
	queries int
	nDCG10  float64 // 1/log2(rank+1) of the answer
	r5, r10 float64 // share of queries whose answer is among the first 5, 10
	mrr10   float64 // 1/rank of the answer
}

func (q quality) String() string {
	return fmt.Sprintf("queries %d  nDCG@10 %.4f  R@5 %.4f  R@10 %.4f  MRR@10 %.4f", q.queries, q.nDCG10, q.r5, q.r10, q.mrr10)
}

// evaluate scores rankings, one for each query, of queries that have one answer.
// An answer below depth counts as not found.
func evaluate(queries []query, rankings [][]string) quality {
	sum := quality{queries: len(queries)}
	for i, q := range queries {
		rank := rankOf(q.answer, rankings[i])
		if rank == 0 {
			continue
		}
		sum.nDCG10 += 1 / math.Log2(float64(rank)+1)
		sum.mrr10 += 1 / float64(rank)
		sum.r10++
		if rank <= 5 {
			sum.r5++
		}
	}
	if n := float64(len(queries)); n > 0 {
		sum.nDCG10, sum.mrr10, sum.r5, sum.r10 = sum.nDCG10/n, sum.mrr10/n, sum.r5/n, sum.r10/n
	}
	return sum
}

// rankOf is the place of the answer in a ranking from 1 on, 0 for none.
func rankOf(answer string, ranking []string) int {
	for i, name := range ranking[:min(len(ranking), depth)] {
		if name == answer {
			return i + 1
		}
	}
	return 0
}
