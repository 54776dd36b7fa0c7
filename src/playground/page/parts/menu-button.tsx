/** One thing to choose in a menu. */
export function MenuButton(props: { text: string; isGrave?: boolean; onClick: () => void }) {
  return (
    <button type="button" class={`option ${props.isGrave ? 'bad' : ''}`} onClick={props.onClick}>
      {props.text}
    </button>
  )
}
