import { readMedia, type SendableKind } from './input-media.ts'
import type { Method } from './method.ts'
import { readTarget, send } from './sending.ts'

/** The methods that send one file differ in its kind alone. */
function sender(kind: SendableKind): Method {
  return (call, house) => {
    const media = readMedia(call.params, kind, house)
    const target = readTarget(call.params, house.world, `${kind}s`)
    const prepared = media.prepare()
    return send(call, house, target, () => prepared.load())
  }
}

export const sendPhoto = sender('photo')
export const sendVideo = sender('video')
export const sendDocument = sender('document')
export const sendAudio = sender('audio')
