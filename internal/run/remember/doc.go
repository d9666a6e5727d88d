// Package remember is the loop's memory on the knowledge base: it implements
// run.Memory on kb.Memory.
//
// recall.go chooses what an agent is shown, lesson.go makes entries of what an
// attempt taught, credit.go finds out which of the shown entries were used.
//
// The knowledge base may serve many projects. What the loop records belongs to the
// project for which the knowledge base was opened, and what belongs to another is not
// recalled; entries without a project are everybody's.
package remember
