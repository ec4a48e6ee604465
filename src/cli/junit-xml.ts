import type { CheckReport, CheckResult } from '../testing/check/check-report.ts'

/** @param counts whether a result that failed counts as a failure, and not as skipped */
export function toJunitXml(
  { url, results, durationMs }: CheckReport,
  counts: (result: CheckResult) => boolean,
): string {
  const isFailure = (result: CheckResult) => result.outcome === 'failed' && counts(result)
  const cases = results.map((result) => {
    const name = `classname="payhook.check.${result.level}" name="${toXml(`${result.id}: ${result.title}`)}"`
    return `    <testcase ${name} time="${result.durationMs / 1_000}">${toOutcome(result, isFailure(result))}</testcase>\n`
  })
  const failures = results.filter(isFailure).length
  const skipped = results.filter(({ outcome }) => outcome !== 'passed').length - failures
  // Jenkins' schema of JUnit XML has the number of skipped cases only for a suite.
  const totals = `tests="${results.length}" failures="${failures}" errors="0" time="${durationMs / 1_000}"`
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="payhook check" ${totals}>
  <testsuite name="${toXml(url)}" ${totals} skipped="${skipped}">
${cases.join('')}  </testsuite>
</testsuites>
`
}

function toOutcome(
  { outcome, expected, observed, cause = '', why, mend }: CheckResult,
  isFailure: boolean,
): string {
  if (outcome === 'passed') return ''
  if (outcome === 'skipped') return `<skipped message="${toXml(observed)}"/>`
  const message = toXml(`Expected ${expected}. Got ${observed}.`)
  if (!isFailure) return `<skipped message="${message} ${toXml(mend)}"/>`
  return `<failure message="${message}">${toXml(`${cause} ${why} ${mend}`.trim())}</failure>`
}

/** Text for an attribute or an element, without what XML cannot have. */
function toXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
