import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { IconButton } from '../parts/icon-button.tsx'
import { replaceRoute } from '../route.ts'
import { words } from '../words/language.ts'
import { CallsTab } from './calls/calls-tab.tsx'
import { FaultsTab } from './faults/faults-tab.tsx'
import { LintsTab } from './lints-tab.tsx'
import { faults, lints } from './panel-data.ts'
import { ServiceTab } from './service/service-tab.tsx'

const TABS = ['calls', 'service', 'lints', 'faults'] as const

type TabName = (typeof TABS)[number]

const VIEWS: Readonly<Record<TabName, ComponentType>> = {
  calls: CallsTab,
  service: ServiceTab,
  lints: LintsTab,
  faults: FaultsTab,
}

/** More are as many as the list keeps. */
const COUNT_MAX = 999

/** Kept while the panel is closed. */
const shown = signal<TabName>('calls')

/** Shows what happens outside the chat: calls to the Bot API, the service, lints, faults. */
export function Panel() {
  const { close, panel, shell } = words.value
  const View = VIEWS[shown.value]
  return (
    <aside class="panel" aria-label={shell.panel}>
      <header class="header">
        <h2 class="header-title">{panel.title}</h2>
        <IconButton icon="close" label={close} onClick={() => replaceRoute({ hasPanel: false })} />
      </header>
      <div class="tabs" role="tablist" aria-label={panel.title}>
        {TABS.map((tab) => (
          <button
            key={tab}
            id={`tab-${tab}`}
            type="button"
            class="tab"
            role="tab"
            aria-selected={tab === shown.value}
            aria-controls="tab-view"
            tabIndex={tab === shown.value ? 0 : -1}
            onClick={() => {
              shown.value = tab
            }}
            onKeyDown={moveBetweenTabs}
          >
            {panel.tabs[tab]}
            <Count tab={tab} />
          </button>
        ))}
      </div>
      <div id="tab-view" class="tab-view" role="tabpanel" aria-labelledby={`tab-${shown.value}`}>
        <View />
      </div>
    </aside>
  )
}

function Count({ tab }: { tab: TabName }) {
  const count = tab === 'lints' ? lints.items.value.length : faults.value.length
  if ((tab !== 'lints' && tab !== 'faults') || count === 0) return null
  return <span class="mark mark-warm num">{count > COUNT_MAX ? `${COUNT_MAX}+` : count}</span>
}

function moveBetweenTabs(event: KeyboardEvent): void {
  const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
  if (by === 0) return
  event.preventDefault()
  const next = TABS[(TABS.indexOf(shown.value) + by + TABS.length) % TABS.length] ?? 'calls'
  shown.value = next
  document.getElementById(`tab-${next}`)?.focus()
}
