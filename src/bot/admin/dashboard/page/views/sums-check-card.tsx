import type { CheckAnswer } from '../../api.ts'
import { Scroll } from '../parts/scroll.tsx'
import { TitledCard } from '../parts/titled-card.tsx'
import { words } from '../words/language.ts'
import { formatExactly } from '../words/money.ts'

/** Shows if the kept sums are what their charges add up to, and lists those that are not. */
export function SumsCheckCard({
  sums,
  isReading,
}: {
  sums: CheckAnswer['sums']
  isReading: boolean
}) {
  const { check: text } = words.value
  return (
    <TitledCard title={text.sums} isReading={isReading}>
      <p class={`verdict ${sums.isRight ? 'good' : 'bad'}`}>
        {sums.isRight ? text.sumsRight : text.sumsWrong}
      </p>
      {sums.isRight ? null : (
        <>
          <Scroll label={text.sums}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{text.what}</th>
                  <th scope="col" class="num">
                    {text.ofSums}
                  </th>
                  <th scope="col" class="num">
                    {text.ofRows}
                  </th>
                </tr>
              </thead>
              <tbody>
                {sums.differences.map(({ what, ofSums, ofRows }) => (
                  <tr key={what}>
                    <th scope="row">{what}</th>
                    <td class="num">{formatExactly(ofSums)}</td>
                    <td class="num">{formatExactly(ofRows)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
          <p class="hint">
            {text.sumsHint} <code>{sums.rebuildCommand}</code>
          </p>
        </>
      )}
    </TitledCard>
  )
}
