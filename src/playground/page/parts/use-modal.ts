import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

/** Opens a dialog above the page for as long as it is drawn; the focus goes back to where it was. */
export function useModal(dialog: RefObject<HTMLDialogElement | null>): void {
  useEffect(() => {
    const { activeElement } = document
    dialog.current?.showModal()
    return () => {
      // Preact has taken the dialog off the page by now, so that the browser does not do it.
      if (activeElement instanceof HTMLElement) activeElement.focus({ preventScroll: true })
    }
  }, [])
}
