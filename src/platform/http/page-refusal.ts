/** A request of a page that is refused, with the status and the words that a person reads. */
export class PageRefusal extends Error {
  override readonly name: string = 'PageRefusal'
  readonly statusCode: number
  readonly detail: string

  constructor(statusCode: number, detail: string) {
    super(`Refused with ${statusCode}`)
    this.statusCode = statusCode
    this.detail = detail
  }
}
