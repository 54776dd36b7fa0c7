import { PartsOfSum, type SumPart } from '../charts/parts-of-sum.tsx'
import { TitledCard } from '../parts/titled-card.tsx'

/** The parts of a sum under a title. */
export function PartsCard(props: {
  title: string
  parts: readonly SumPart[]
  sumMicroRub: string
  onPick?: (key: string) => void
}) {
  return (
    <TitledCard title={props.title}>
      <PartsOfSum parts={props.parts} sumMicroRub={props.sumMicroRub} onPick={props.onPick} />
    </TitledCard>
  )
}
