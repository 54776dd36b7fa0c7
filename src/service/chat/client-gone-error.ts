/** The client closed its connection before it had the whole answer. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'

  constructor() {
    super('The client closed the connection')
  }
}
