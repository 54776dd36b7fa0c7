import type { MediaKind } from '../../../contract/tasks.ts'
import type { Sender } from '../../telegram/addressing.ts'
import type { MediaOptions } from '../catalog.ts'
import { type Pictures, pictureRefusal } from '../picture/pictures.ts'
import type { GivenPicture } from '../picture/read-picture.ts'
import type { OrderCreation } from './order-creation.ts'
import type { MediaRefusal } from './refusal-text.ts'

/** `refused`: nothing can be ordered. */
export type Preparation =
  | { status: 'ready'; imageUrl: string | undefined }
  | ({ status: 'refused' } & MediaRefusal)

export interface PrepareOrderDeps {
  creation: Pick<OrderCreation, 'findRefusal' | 'sold'>
  pictures: Pick<Pictures, 'offer'>
}

/** Finds out whether something can be ordered now, and copies its picture for the service. */
export function createPrepareOrder({ creation, pictures }: PrepareOrderDeps) {
  return { prepare }

  async function prepare({
    kind,
    user,
    picture,
    options,
  }: {
    kind: MediaKind
    user: Sender
    picture: GivenPicture | undefined
    options?: MediaOptions | undefined
  }): Promise<Preparation> {
    const refusal = creation.findRefusal({ kind, user, options })
    if (refusal !== undefined) return refuse(refusal)
    if (picture === undefined) return { status: 'ready', imageUrl: undefined }
    if (kind !== 'video') return refuse('picture-video-only')
    const offered = await pictures.offer(picture, { userId: user.id })
    if (offered.status === 'offered') return { status: 'ready', imageUrl: offered.imageUrl }
    return refuse(pictureRefusal(offered))
  }

  function refuse(key: string): Preparation {
    return { status: 'refused', key, sold: creation.sold() }
  }
}

export type PrepareOrder = ReturnType<typeof createPrepareOrder>['prepare']
