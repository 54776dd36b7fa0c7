import { useSignal } from '@preact/signals'
import { attempt } from '../dialogs/attempt.ts'

/** Explains, instead of the field, why nothing can be written. */
export function ClosedNote({ text }: { text: string }) {
  return <p class="composer composer-closed hint">{text}</p>
}

/** Offers, instead of the field, the one thing that can be done here. */
export function OneButton(props: { label: string; onPress: () => Promise<unknown> }) {
  const isBusy = useSignal(false)
  const press = async () => {
    isBusy.value = true
    await attempt(props.onPress)
    isBusy.value = false
  }
  return (
    <div class="composer composer-closed">
      <button
        type="button"
        class="button button-main"
        disabled={isBusy.value}
        onClick={() => void press()}
      >
        {props.label}
      </button>
    </div>
  )
}
