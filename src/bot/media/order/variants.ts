import type { MediaKind } from '../../../contract/tasks.ts'
import { exists, type MediaOptions, toOptions } from '../catalog.ts'
import { deliveredFilesOf } from './delivered-files.ts'
import type { Order } from './order-store.ts'
import { mediaOf } from './order-texts.ts'

/**
 * The variants that can be ordered after an order, with its words: the same, in another shape, of another length, or a
 * clip made from its picture.
 */
export const VARIANTS = ['again', 'shape', 'length', 'animate'] as const
export type Variant = (typeof VARIANTS)[number]

/** The choice that a variant orders. */
export interface VariantChoice {
  kind: MediaKind
  options: MediaOptions
  hasPicture: boolean
}

/** @returns Undefined where there is no such variant of the order. */
export function choiceOf(order: BaseOrder, variant: Variant): VariantChoice | undefined {
  const media = mediaOf(order)
  const { kind } = media
  const options = toOptions(media)
  const hasPicture = imageUrlOf(order) !== undefined
  switch (variant) {
    case 'again':
      return { kind, options, hasPicture }
    case 'shape': {
      // A clip that is made from a picture has the picture's shape.
      if (options.shape === undefined || hasPicture) return undefined
      const shape = options.shape === '9:16' ? '16:9' : '9:16'
      return { kind, options: { ...options, shape }, hasPicture }
    }
    case 'length': {
      if (options.duration === undefined) return undefined
      const other = { ...options, duration: options.duration === 10 ? 5 : 10 }
      return exists(kind, other) ? { kind, options: other, hasPicture } : undefined
    }
    case 'animate':
      return kind === 'image' ? { kind: 'video', options: {}, hasPicture: true } : undefined
  }
}

/** The address of the picture from which an order's clip is made. */
export function imageUrlOf(order: BaseOrder): string | undefined {
  const media = mediaOf(order)
  return media.kind === 'video' ? media.request.image_url : undefined
}

/** The picture that an order made, as Telegram holds it. */
export function pictureFileOf(order: BaseOrder): string | undefined {
  if (order.kind !== 'image') return undefined
  return deliveredFilesOf(order).find(({ type }) => type === 'photo' || type === 'document')?.fileId
}

type BaseOrder = Pick<Order, 'kind' | 'params' | 'deliveredFiles'>
