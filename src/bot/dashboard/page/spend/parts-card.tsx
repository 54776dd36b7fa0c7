import { type Part, PartsOfSum } from '../charts/parts-of-sum.tsx'
import { Card } from '../parts/card.tsx'

/** The parts of a sum under a title. */
export function PartsCard(props: {
  title: string
  parts: readonly Part[]
  sumMicroRub: string
  onPick?: (key: string) => void
}) {
  return (
    <Card title={props.title}>
      <PartsOfSum parts={props.parts} sumMicroRub={props.sumMicroRub} onPick={props.onPick} />
    </Card>
  )
}
