import type { GivenPicture } from './read-picture.ts'

export type PictureOffer =
  /** The service finds the picture at `imageUrl`, for as long as an order may need it. */
  | { status: 'offered'; imageUrl: string }
  /** The service is elsewhere and cannot reach this process. */
  | { status: 'no_public_url' }
  | { status: 'too_large' }
  | { status: 'wrong_shape' }
  | { status: 'not_a_picture' }
  | { status: 'one_of_several' }
  /** Telegram has it no more, or does not give it now. */
  | { status: 'gone' }

/** Pictures that users sent, for the service to fetch. */
export function createPictures() {
  return { offer }

  /** Copies a picture and serves it to the service. */
  async function offer(picture: GivenPicture): Promise<PictureOffer> {
    return picture.type === 'picture' ? { status: 'no_public_url' } : { status: picture.type }
  }
}

export type Pictures = ReturnType<typeof createPictures>
