// Package credit is how a memory gains and loses by the outcome of the cycles that
// were shown it.
//
// What speaks for an entry and what speaks against it are two amounts, Evidence. An
// outcome adds 1 to one of them, or a part of 1 where it says little (EffectOf), and
// only for an entry that was used. Both fade: by
// half in 90 days, and by half whenever the file has changed that the entry is
// about, since what was true of the old file may not be true of the new one; and of many
// outcomes only as much counts as the last dozen or so weighs. With a
// prior of Beta(2, 2) they give the posterior of "it helps".
//
// An entry itself carries whole numbers (entry.Entry.Helped and Harmed), which
// ranking reads: Counts of its evidence at the time when it was last written. The
// exact amounts are in the ledger, whose lines are Line and which Fold keeps short.
//
// Everything here is pure: no file, no clock.
package credit
