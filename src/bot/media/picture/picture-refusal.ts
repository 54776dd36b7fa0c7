import type { PictureOffer } from './pictures.ts'

const TEXTS: Readonly<Record<Exclude<PictureOffer['status'], 'offered'>, string>> = {
  no_public_url: 'picture-no-public-url',
  too_large: 'picture-too-large',
  wrong_shape: 'picture-wrong-shape',
  not_a_picture: 'picture-not-a-picture',
  one_of_several: 'picture-one-of-several',
  gone: 'picture-gone',
}

/** The key of the text that says why no clip can be made from a picture. */
export function pictureRefusal({ status }: Exclude<PictureOffer, { status: 'offered' }>): string {
  return TEXTS[status]
}
