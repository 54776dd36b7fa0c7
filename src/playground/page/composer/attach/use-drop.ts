import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

/**
 * Takes files that are dropped anywhere on the chat that a part is in.
 *
 * @returns Whether some are being dragged over it.
 */
export function useDrop(
  part: RefObject<HTMLElement | null>,
  onFiles: (files: readonly File[]) => void,
): boolean {
  const isOver = useSignal(false)
  useEffect(() => {
    const chat = part.current?.closest<HTMLElement>('.chat')
    if (chat == null) return undefined
    const controller = new AbortController()
    const { signal } = controller
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      // Without preventDefault() the file opens instead of the page.
      event.preventDefault()
      isOver.value = true
    }
    chat.addEventListener('dragenter', over, { signal })
    chat.addEventListener('dragover', over, { signal })
    chat.addEventListener(
      'dragleave',
      (event) => {
        // Moving from one element of the chat to another is no leaving.
        if (!chat.contains(event.relatedTarget as Node | null)) isOver.value = false
      },
      { signal },
    )
    chat.addEventListener(
      'drop',
      (event) => {
        event.preventDefault()
        isOver.value = false
        onFiles(filesOf(event.dataTransfer))
      },
      { signal },
    )
    return () => controller.abort()
  }, [])
  return isOver.value
}

/** A folder has no bytes of its own. */
function filesOf(transfer: DataTransfer | null): File[] {
  return [...(transfer?.items ?? [])]
    .filter((item) => item.webkitGetAsEntry()?.isDirectory !== true)
    .map((item) => item.getAsFile())
    .filter((file) => file !== null)
}
