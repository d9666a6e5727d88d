// Package contextpack puts together what an agent should know before it begins a
// task, within a number of tokens: three layers, as in the spec "Context Sandwich
// Construction".
//
//   - anchor: the project's rules, what the task demands, its spec, recent decisions
//   - focus: the files that the task is about, what they import, their tests, and
//     the memories that matter
//   - horizon: what else there is, a line for each, with ids under which the detail
//     can be asked for
//
// Entries of other projects are left out: here they would read like rules.
//
// Gather collects items from the project, the code tree and the memory; Pack, which
// is pure, decides what fits. The same inputs give the same text, byte for byte, and
// what was left out is said.
package contextpack
