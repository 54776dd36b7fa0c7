import type { WireAlerts } from '../../api.ts'
import { AlertsForm } from '../alerts/alerts-form.tsx'
import { Reading } from '../parts/reading.tsx'
import { View } from '../shell/view.tsx'
import { useRead } from '../talk/use-read.ts'
import { words } from '../words/language.ts'

/** Shows what admins are notified of, and when the digest comes. */
export function AlertsView({ canChange, timeZone }: { canChange: boolean; timeZone: string }) {
  const read = useRead<WireAlerts>('/alerts')
  const { alerts: text, sections } = words.value
  return (
    <View title={sections.alerts} hasBack subtitle={text.hint}>
      <section class="card narrow" aria-label={sections.alerts}>
        <Reading read={read} lines={8}>
          {(alerts) => <AlertsForm alerts={alerts} canChange={canChange} timeZone={timeZone} />}
        </Reading>
      </section>
    </View>
  )
}
