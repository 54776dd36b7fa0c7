/** How much of a limit is spent, and lighter, what is under way. The words beside it say the same. */
export function Meter({ spent, reserved }: { spent: number; reserved: number }) {
  const state = spent + reserved >= 1 ? 'is-full' : spent + reserved >= 0.8 ? 'is-near' : ''
  return (
    <div class={`meter ${state}`} aria-hidden="true">
      <span style={{ width: percent(spent) }} />
      <span class="meter-reserved" style={{ width: percent(Math.min(reserved, 1 - spent)) }} />
    </div>
  )
}

function percent(share: number): string {
  return `${(Math.max(0, share) * 100).toFixed(2)}%`
}
