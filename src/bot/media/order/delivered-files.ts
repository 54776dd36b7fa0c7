import { type Static, Type } from 'typebox'
import { createGuard } from '../../../platform/guard.ts'

const DeliveredFiles = Type.Array(
  Type.Object({
    type: Type.Union([
      Type.Literal('video'),
      Type.Literal('photo'),
      Type.Literal('audio'),
      Type.Literal('document'),
    ]),
    fileId: Type.String(),
  }),
)

export type DeliveredFiles = Static<typeof DeliveredFiles>

const isDeliveredFiles = createGuard(DeliveredFiles)

/**
 * The results of an order as Telegram holds them, in their order: they can be sent again at no cost.
 *
 * @returns None where a result was shown as a link, or the order is older than this record: `resultUrls` has them.
 * @throws {TypeError} If what is stored is damaged.
 */
export function deliveredFilesOf({ deliveredFiles }: { deliveredFiles: unknown }): DeliveredFiles {
  if (isDeliveredFiles(deliveredFiles)) return deliveredFiles
  throw new TypeError('Cannot read order: its delivered files are damaged')
}
