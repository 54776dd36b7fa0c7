import { Segments } from '../../../../../platform/page/controls.tsx'
import { type ReportSpan, SPANS } from '../../api.ts'
import { words } from '../words/language.ts'

const FIRST: ReportSpan = '30d'

/** The time that an address names; of none, and of one that there is not, 30 days. */
export function readSpan(query: URLSearchParams): ReportSpan {
  return SPANS.find((span) => span === query.get('span')) ?? FIRST
}

/** Lets the reader choose which time is shown. */
export function SpanChoice({
  span,
  onChange,
}: {
  span: ReportSpan
  onChange: (span: ReportSpan) => void
}) {
  const { spanLabel, spans } = words.value
  const options = SPANS.map((value) => ({ value, label: spans[value] }))
  return (
    <Segments isUnlabelled label={spanLabel} options={options} value={span} onChange={onChange} />
  )
}
