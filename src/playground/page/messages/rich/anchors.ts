const FLASH_MS = 1_600

/** Scrolls to what a link inside of a message names: an anchor or reference, or the message's top without a name. */
export function goToAnchor(link: HTMLElement, name: string): void {
  const message = link.closest<HTMLElement>('.rich')
  const anchors = [...(message?.querySelectorAll<HTMLElement>('[data-anchor]') ?? [])]
  const target = name === '' ? message : anchors.find(({ dataset }) => dataset.anchor === name)
  if (!target) return
  for (let closed = hiderOf(target); closed !== null; closed = hiderOf(target)) closed.open = true
  showFlash(target, 'start')
}

/** Scrolls to an element, and marks it for a moment. What is larger than the page is shown from its beginning. */
export function showFlash(target: HTMLElement, block: ScrollLogicalPosition): void {
  const isLarge = target.clientHeight > innerHeight / 2
  target.scrollIntoView({ block: isLarge ? 'start' : block, behavior: 'smooth' })
  target.classList.add('flash')
  setTimeout(() => target.classList.remove('flash'), FLASH_MS)
}

function hiderOf(target: HTMLElement): HTMLDetailsElement | null {
  return target.closest<HTMLDetailsElement>('details:not([open])')
}
