import { MendableError } from '../platform/mendable.ts'

/** The folder of the playground cannot be opened. */
export class PlaygroundRefusedError extends MendableError {
  override readonly name = 'PlaygroundRefusedError'
}
