/**
 * Puts a text on the clipboard.
 *
 * @returns Whether it is there now.
 */
export async function copyText(text: string): Promise<boolean> {
  // Only pages at a loopback address or over https have the clipboard's own interface.
  if (navigator.clipboard === undefined) return copyBySelection(text)
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Refused by the browser's settings: the old way asks for nothing.
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'unseen'
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}
