package prompt

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNextAction(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, answer string
		want         Next // "" means uninterpretable
	}{
		{"plain", "NEXT_ACTION: BUILD", NextBuild},
		{"every value", "NEXT_ACTION: GUIDANCE\n", NextGuidance},
		{"bold line", "**NEXT_ACTION: DESIGN**", NextDesign},
		{"bold key", "**NEXT_ACTION:** POLISH", NextPolish},
		{"bold key, colon outside", "**NEXT_ACTION**: POLISH", NextPolish},
		{"bold value", "NEXT_ACTION: **ALIGN**", NextAlign},
		{"backticked line", "`NEXT_ACTION: BACKFILL`", NextBackfill},
		{"backticked value", "NEXT_ACTION: `WAIT`", NextWait},
		{"bold and backticked", "**`NEXT_ACTION: STOP`**", NextStop},
		{"underscores", "__NEXT_ACTION:__ _STOP_", NextStop},
		{"underscores around the key", "__NEXT_ACTION__: STOP", NextStop},
		{"list dash", "- NEXT_ACTION: WAIT", NextWait},
		{"list star", "* **NEXT_ACTION**: WAIT", NextWait},
		{"heading", "## NEXT_ACTION: WAIT", NextWait},
		{"indented", "   NEXT_ACTION: WAIT", NextWait},
		{"in a code block", "```\nNEXT_ACTION: WAIT\n```", NextWait},
		{"CRLF", "NEXT_ACTION: WAIT\r\nmore\r\n", NextWait},
		{"byte order mark", "\ufeffNEXT_ACTION: WAIT", NextWait},
		{"no space", "NEXT_ACTION:WAIT", NextWait},
		{"with a remark", "NEXT_ACTION: BUILD — hx-1 is ready", NextBuild},
		{"with a remark that names another value", "NEXT_ACTION: WAIT (do not BUILD)", NextWait},
		{"with a full stop", "NEXT_ACTION: STOP.", NextStop},
		{"after text", "I looked at the queue.\n\nNEXT_ACTION: STOP\nReason: done", NextStop},
		{"the first of two", "NEXT_ACTION: ALIGN\nNEXT_ACTION: STOP\n", NextAlign},

		{"nothing", "", ""},
		{"no key", "STOP", ""},
		{"a longer word", "NEXT_ACTION: STOPPING", ""},
		{"a longer word in another script", "NEXT_ACTION: STOPé", ""},
		{"a longer word with a combining mark", "NEXT_ACTION: STOP\u0301", ""},
		{"a longer word with a dash", "NEXT_ACTION: STOP-GAP", ""},
		{"a longer word with an underscore", "NEXT_ACTION: STOP_NOW", ""},
		{"a shorter word", "NEXT_ACTION: BUIL", ""},
		{"other case", "NEXT_ACTION: stop thinking about it", ""},
		{"other key", "MY_NEXT_ACTION: STOP", ""},
		{"other key that begins so", "NEXT_ACTION_HINT: STOP", ""},
		{"in mid sentence", "The answer is NEXT_ACTION: STOP", ""},
		{"in mid sentence, bold", "So **NEXT_ACTION: STOP** it is", ""},
		{"somebody else's words", "> NEXT_ACTION: STOP", ""},
		{"a removed line of a diff", "-NEXT_ACTION: STOP", ""},
		{"no colon", "NEXT_ACTION STOP", ""},
		{"no value", "NEXT_ACTION:\nSTOP", ""},
		{"the first is wrong, the second right", "NEXT_ACTION: CONTINUE\nNEXT_ACTION: STOP", ""},
		{"the value is not first", "NEXT_ACTION: we should BUILD", ""},

		{"only the menu", "NEXT_ACTION: BUILD | DESIGN | POLISH", ""},
		{"the menu, then the answer", "NEXT_ACTION: BUILD|DESIGN|POLISH\nNEXT_ACTION: WAIT", NextWait},
		{"another menu, then the answer", "NEXT_ACTION: BUILD, DESIGN, or STOP\nNEXT_ACTION: WAIT", NextWait},
		{"or, then the answer", "NEXT_ACTION: BUILD or DESIGN\nNEXT_ACTION: WAIT", NextWait},
		{"only the template", "NEXT_ACTION: <one of BUILD, DESIGN>", ""},
		{"the template, then the answer", "NEXT_ACTION: <one of BUILD, DESIGN>\nNEXT_ACTION: STOP", NextStop},
		{"a comma and a remark", "NEXT_ACTION: WAIT, since all is claimed", NextWait},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := NextAction(c.answer)
			if got != c.want {
				t.Errorf("got %q, want %q (error: %v)", got, c.want, err)
			}
			if interpretable := err == nil; interpretable != (c.want != "") || err != nil && !errors.Is(err, ErrUninterpretable) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestParseReview(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, answer string
		want         Verdict
		wrong        string // part of the error
	}{
		{"clean", "REVIEW_STATUS: CLEAN\nISSUES_COUNT: 0\nFINDINGS_FILED: 0", Verdict{Clean: true}, ""},
		{"clean and no more", "REVIEW_STATUS: CLEAN", Verdict{Clean: true}, ""},
		{"clean, none", "**REVIEW_STATUS:** CLEAN\n**ISSUES_COUNT:** none", Verdict{Clean: true}, ""},
		{"issues", "REVIEW_STATUS: ISSUES_FOUND\nISSUES_COUNT: 3\nFINDINGS_FILED: 2", Verdict{Issues: 3, Filed: 2}, ""},
		{"issues, nothing filed is told", "REVIEW_STATUS: ISSUES_FOUND\nISSUES_COUNT: **3** findings", Verdict{Issues: 3}, ""},
		{"all", "REVIEW_STATUS: ISSUES_FOUND\nISSUES_COUNT: 1\nFINDINGS_FILED: 1\nAGENTS_MD_UPDATED: Yes\nLEARNINGS_FILED: 4",
			Verdict{Issues: 1, Filed: 1, AgentsUpdated: true, Learnings: 4}, ""},
		{"after prose", "Looks fine.\r\n\r\n- REVIEW_STATUS: CLEAN\r\n- ISSUES_COUNT: 0\r\n", Verdict{Clean: true}, ""},

		{"nothing", "All is well.", Verdict{}, "no line begins with REVIEW_STATUS:"},
		{"wrong status", "REVIEW_STATUS: MOSTLY_CLEAN", Verdict{}, `REVIEW_STATUS is "MOSTLY_CLEAN"`},
		{"a novel", "REVIEW_STATUS: " + strings.Repeat("é", 1000), Verdict{}, strings.Repeat("é", 40) + `…", not one of CLEAN, ISSUES_FOUND`},
		{"longer word", "REVIEW_STATUS: CLEANISH", Verdict{}, "REVIEW_STATUS"},
		{"no count", "REVIEW_STATUS: ISSUES_FOUND", Verdict{}, "no line begins with ISSUES_COUNT:"},
		{"no number", "REVIEW_STATUS: ISSUES_FOUND\nISSUES_COUNT: several", Verdict{}, `ISSUES_COUNT is "several"`},
		{"a fraction", "REVIEW_STATUS: ISSUES_FOUND\nISSUES_COUNT: 1.5", Verdict{}, "ISSUES_COUNT"},
		{"negative", "REVIEW_STATUS: ISSUES_FOUND\nISSUES_COUNT: -1", Verdict{}, "ISSUES_COUNT"},
		{"too large", "REVIEW_STATUS: ISSUES_FOUND\nISSUES_COUNT: 99999999999999999999", Verdict{}, "ISSUES_COUNT"},
		{"clean with issues", "REVIEW_STATUS: CLEAN\nISSUES_COUNT: 2", Verdict{}, "ISSUES_COUNT is 2"},
		{"clean with something", "REVIEW_STATUS: CLEAN\nISSUES_COUNT: a few", Verdict{}, "ISSUES_COUNT"},
		{"issues without issues", "REVIEW_STATUS: ISSUES_FOUND\nISSUES_COUNT: 0", Verdict{}, "ISSUES_COUNT is 0"},
		{"filed is no number", "REVIEW_STATUS: ISSUES_FOUND\nISSUES_COUNT: 1\nFINDINGS_FILED: hx-1", Verdict{}, "FINDINGS_FILED"},
		{"the menu", "REVIEW_STATUS: CLEAN / ISSUES_FOUND", Verdict{}, "no line begins with REVIEW_STATUS:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseReview(c.answer)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			checkWrong(t, err, c.wrong)
		})
	}
}

func checkWrong(t *testing.T, err error, wrong string) {
	t.Helper()
	switch {
	case wrong == "" && err != nil:
		t.Errorf("refused: %v", err)
	case wrong != "" && !errors.Is(err, ErrUninterpretable):
		t.Errorf("got error %v, want ErrUninterpretable", err)
	case wrong != "" && !strings.Contains(err.Error(), wrong):
		t.Errorf("the error %q does not say %q", err, wrong)
	}
}

// parsers are all of them, each as a function of one shape.
var parsers = map[Action]func(string) (any, error){
	Check:          func(s string) (any, error) { return NextAction(s) },
	Implementation: func(s string) (any, error) { return ParseImplementation(s) },
	Review:         func(s string) (any, error) { return ParseReview(s) },
	Align:          func(s string) (any, error) { return ParseAlign(s) },
	Plan:           func(s string) (any, error) { return ParsePlan(s) },
	Polish:         func(s string) (any, error) { return ParsePolish(s) },
	Backfill:       func(s string) (any, error) { return ParseBackfill(s) },
	Frame:          func(s string) (any, error) { return ParseFrame(s) },
	Evolve:         func(s string) (any, error) { return ParseEvolve(s) },
	Experiment:     func(s string) (any, error) { return ParseExperiment(s) },
	Input:          func(s string) (any, error) { return ParseInput(s) },
	Measure:        func(s string) (any, error) { return ParseMeasure(s) },
	Report:         func(s string) (any, error) { return ParseReport(s) },
	Triage:         func(s string) (any, error) { return ParseTriage(s) },
}

// Each answer is whole, so that no field of a type goes unread.
var wholeAnswers = []struct {
	action Action
	answer string
	want   any
}{
	{Implementation, "MEASURE_STATUS: PARTIAL\nBEAD_ID: hx-1, hx-2\nFOLLOW_ON_CREATED: 1",
		ImplementationAnswer{"PARTIAL", []string{"hx-1", "hx-2"}, 1}},
	{Implementation, "MEASURE_STATUS: PASS\nBEAD_ID: none", ImplementationAnswer{Measure: "PASS"}},
	{Align, "ALIGN_STATUS: INCOMPLETE\nGAPS_FOUND: 7\nEXECUTION_ISSUES_CREATED: 5\nALIGN_REPORT: `docs/AR-1.md`",
		AlignAnswer{"INCOMPLETE", 7, 5, "docs/AR-1.md"}},
	{Backfill, "BACKFILL_STATUS: GUIDANCE_NEEDED\nBACKFILL_REPORT: \"docs/a file.md\"\nRESEARCH_EPIC: hx-9",
		BackfillAnswer{"GUIDANCE_NEEDED", "docs/a file.md", "hx-9"}},
	{Plan, "PLAN_STATUS: CONVERGED\nPLAN_DOCUMENT: docs/_plan_.md\nPLAN_ROUNDS: 4", PlanAnswer{"CONVERGED", "docs/_plan_.md", 4}},
	{Polish, "POLISH_STATUS: IN_PROGRESS\nDECOMPOSITION: PARTIAL\nPOLISH_ROUNDS: 6\nISSUES_DECOMPOSED: 1\nISSUES_MODIFIED: 2\nISSUES_CREATED: 3\nISSUES_MERGED: 4",
		PolishAnswer{"IN_PROGRESS", "PARTIAL", 6, 1, 2, 3, 4}},
	{Frame, "FRAME_STATUS: COMPLETE\nARTIFACTS_CREATED: 3\nARTIFACTS_UPDATED: 1\nISSUES_CREATED: 2", FrameAnswer{"COMPLETE", 3, 1, 2}},
	{Evolve, "EVOLUTION_STATUS: CONFLICTS\nARTIFACTS_UPDATED: 3\nISSUES_CREATED: 2\nCONFLICTS: 1", EvolveAnswer{"CONFLICTS", 3, 2, 1}},
	{Experiment, "EXPERIMENT_STATUS: ITERATION_COMPLETE\nEXPERIMENT_ITERATIONS: 4\nEXPERIMENT_KEPT: 2\nEXPERIMENT_BEST: 12.5 ms\nEXPERIMENT_CONFIDENCE: 4.1",
		ExperimentAnswer{"ITERATION_COMPLETE", 4, 2, "12.5 ms", "4.1"}},
	{Input, "INPUT_STATUS: NEEDS_CLARIFICATION\nBEADS_CREATED: 2\nBEADS_UPDATED: 1\nAUTONOMY_LEVEL: Medium\nCONFLICTS: 1\nNEXT_ACTION: answer the question in hx-3",
		InputAnswer{"NEEDS_CLARIFICATION", 2, 1, "medium", 1, "answer the question in hx-3"}},
	{Measure, "MEASURE_STATUS: FAIL\nBEADS_MEASURED: 9\nBEADS_PASSED: 4\nBEADS_FAILED: 3\nBEADS_PARTIAL: 2\nCRITERIA_CHECKED: 20\nCRITERIA_PASSED: 11\nCRITERIA_FAILED: 5\nCRITERIA_UNVERIFIED: 4\nGATES_FAILED: 1\nRATCHETS_REGRESSED: 6",
		MeasureAnswer{"FAIL", Tally{9, 4, 3, 2}, Tally{20, 11, 5, 4}, 1, 6}},
	{Report, "REPORT_STATUS: FOLLOW_ON\nREPORT_DOCUMENT: RPT-1.md\nBEADS_CLOSED: 3\nBEADS_OPEN: 1\nFOLLOW_ON_CREATED: 2",
		ReportAnswer{"FOLLOW_ON", "RPT-1.md", 3, 1, 2}},
	{Triage, "TRIAGE_STATUS: COMPLETE\nBEADS_CREATED: 1\nBEADS_UPDATED: 8", TriageAnswer{"COMPLETE", 1, 8}},
}

func TestWholeAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range wholeAnswers {
		t.Run(c.action.Name(), func(t *testing.T) {
			t.Parallel()
			got, err := parsers[c.action](c.answer)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestEveryField: for each action and each line of its trailer, what a missing
// and a meaningless value come to.
func TestEveryField(t *testing.T) {
	t.Parallel()
	for _, a := range Actions() {
		t.Run(a.Name(), func(t *testing.T) {
			t.Parallel()
			if !a.Trailer()[0].Required || a.Trailer()[0].Kind != Choice {
				t.Fatal("the first line of a trailer decides about the answer")
			}
			for _, f := range a.Trailer() {
				without := answerOf(a, func(g Field) (string, bool) { return sample(g), g.Key != f.Key })
				if _, err := parsers[a](without); (err != nil) != f.Required {
					t.Errorf("without %s: error %v", f.Key, err)
				} else if f.Required {
					checkWrong(t, err, f.Key)
				}
				if f.Kind == Text {
					continue
				}
				wrong := answerOf(a, func(g Field) (string, bool) {
					if g.Key == f.Key {
						return "perhaps", true
					}
					return sample(g), true
				})
				_, err := parsers[a](wrong)
				checkWrong(t, err, f.Key+` is "perhaps"`)
			}
			for _, v := range a.Trailer()[0].Values {
				word, err := Status(a, a.Trailer()[0].Key+": "+v+"\n")
				if word != v || err != nil {
					t.Errorf("Status of %s is %q, %v", v, word, err)
				}
			}
		})
	}
}

// answerOf writes the lines of a trailer for which value says true.
func answerOf(a Action, value func(Field) (string, bool)) string {
	var w strings.Builder
	for _, f := range a.Trailer() {
		if v, ok := value(f); ok {
			w.WriteString(f.Key + ": " + v + "\n")
		}
	}
	return w.String()
}

// sample is a value that goes with the samples of the other fields.
func sample(f Field) string {
	switch f.Kind {
	case Choice:
		return f.Values[0]
	case Count:
		return "0"
	}
	return "something"
}

func TestBackfillNeedsItsReport(t *testing.T) {
	t.Parallel()
	for _, report := range []string{"", "BACKFILL_REPORT:\n", "BACKFILL_REPORT: none\n", "BACKFILL_REPORT: <path>\n", "BACKFILL_REPORT: \"\"\n"} {
		_, err := ParseBackfill("BACKFILL_STATUS: COMPLETE\n" + report)
		checkWrong(t, err, "BACKFILL_REPORT")
	}
	got, err := ParseBackfill("BACKFILL_STATUS: COMPLETE\nBACKFILL_REPORT: r.md\nRESEARCH_EPIC: None\n")
	if err != nil || got != (BackfillAnswer{Status: "COMPLETE", Report: "r.md"}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestFindings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, answer string
		want         []string
	}{
		{"none", "REVIEW_STATUS: CLEAN\nFINDINGS_FILED: 0\n", nil},
		{"said none", "FINDINGS: none\n- not a finding?\n", []string{"not a finding?"}},
		{"list", "MEASURE_STATUS: PASS\nFINDINGS:\n- one `x*`\n- two\n", []string{"one `x*`", "two"}},
		{"emphasised", "**FINDINGS:**\r\n\r\n* one\r\n* two\r\n", []string{"one", "two"}},
		{"numbered", "FINDINGS:\n1. one\n2) two", []string{"one", "two"}},
		{"continued", "FINDINGS:\n- one\n  and more\n- two\n", []string{"one and more", "two"}},
		{"nested", "FINDINGS:\n- one\n  - below\n", []string{"one", "below"}},
		{"on the line", "FINDINGS: one", []string{"one"}},
		{"ends at prose", "FINDINGS:\n- one\nThat is all.\n- no finding\n", []string{"one"}},
		{"ends at a key", "FINDINGS:\n- one\nMEASURE_STATUS: PASS\n", []string{"one"}},
		{"ends at an empty line", "FINDINGS:\n- one\n\n- no finding\n", []string{"one"}},
		{"template", "FINDINGS:\n- <one thing>\n", nil},
		{"in mid sentence", "My FINDINGS:\n- one\n", nil},
		{"quoted", "> FINDINGS:\n> - one\n", nil},
		{"invalid UTF-8", "FINDINGS:\n- a\xffb\n", []string{"a\uFFFDb"}},
		{"no list", "FINDINGS:\nnothing special\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, Findings(c.answer)); diff != "" {
				t.Error(diff)
			}
		})
	}
	flood := Findings("FINDINGS:\n" + strings.Repeat("- "+strings.Repeat("ä", maxFinding)+"\n", 2*maxFindings))
	if len(flood) != maxFindings || len(flood[0]) != maxFinding {
		t.Errorf("%d findings of %d bytes", len(flood), len(flood[0]))
	}
}

// FuzzAnswers: no text makes a parser panic, a value that it accepts is one that
// stands at the start of a line, and every refusal says what is wrong.
func FuzzAnswers(f *testing.F) {
	for _, c := range wholeAnswers {
		f.Add(c.answer)
	}
	f.Add("**NEXT_ACTION:** BUILD\r\n")
	f.Add("`NEXT_ACTION: <x>`\nNEXT_ACTION: STOPPING")
	f.Add("__NEXT_ACTION:__ _STOP_")
	f.Add("REVIEW_STATUS: CLEAN\nISSUES_COUNT: 0/3\nFINDINGS:\n- a\n b")
	f.Fuzz(func(t *testing.T, answer string) {
		for a, parse := range parsers {
			_, err := parse(answer)
			if err != nil && !errors.Is(err, ErrUninterpretable) {
				t.Fatalf("%s: %v", a, err)
			}
			if err != nil {
				continue
			}
			first := a.Trailer()[0]
			word, _ := Status(a, answer)
			if !slices.Contains(first.Values, word) {
				t.Fatalf("%s: status %q", a, word)
			}
			if !slices.ContainsFunc(strings.Split(answer, "\n"), func(line string) bool {
				line = strings.Trim(line, "\ufeff*`_#- \t\r\v\f\u0085\u00a0")
				return strings.HasPrefix(strings.NewReplacer("*", "", "`", "").Replace(line), first.Key) && strings.Contains(line, ":")
			}) {
				t.Fatalf("%s: accepted %q from no line that begins with it: %q", a, word, answer)
			}
		}
		for _, finding := range Findings(answer) {
			if finding == "" || len(finding) > maxFinding || strings.ContainsAny(finding, "\n") {
				t.Fatalf("finding %q", finding)
			}
		}
	})
}
