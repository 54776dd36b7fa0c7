import type { Message } from 'grammy/types'
import type { ComponentChildren } from 'preact'
import { AudioCard, SoundFile } from '../media/audio-card.tsx'
import { Clip } from '../media/clip.tsx'
import { FileCard } from '../media/file-card.tsx'
import { LocationCard } from '../media/location-card.tsx'
import { Photo } from '../media/photo.tsx'
import { ContactCard, DiceCard, PollCard, StickerCard } from '../media/small-cards.tsx'
import { RichBlocks } from '../rich/rich-blocks.tsx'
import { EntityText } from '../text/entity-text.tsx'

interface TextProps {
  message: Pick<Message, 'text' | 'entities' | 'caption' | 'caption_entities'>
  /** Stands at the end of the last line, if there is room. */
  children?: ComponentChildren
}

/** The text or caption of a message. */
export function MessageText({ message, children }: TextProps) {
  const { text, entities, caption, caption_entities: captionEntities } = message
  return (
    <div class="text" dir="auto">
      <EntityText text={text ?? caption ?? ''} entities={text ? entities : captionEntities} />
      {children}
    </div>
  )
}

/** The blocks of a rich message. */
export function RichBody({ rich }: { rich: NonNullable<Message['rich_message']> }) {
  return (
    <div class="rich" dir={rich.is_rtl ? 'rtl' : undefined}>
      <RichBlocks blocks={rich.blocks} />
    </div>
  )
}

/** Draws what a message shows beside its text. */
export function MessageMedia({ message }: { message: Message }) {
  const isCovered = message.has_media_spoiler === true
  if (message.photo) return <Photo sizes={message.photo} isCovered={isCovered} />
  // An animation is a document as well.
  if (message.animation) return <Clip clip={message.animation} isCovered={isCovered} isLoop />
  if (message.video) return <Clip clip={message.video} isCovered={isCovered} />
  if (message.video_note) {
    const { length } = message.video_note
    return <Clip clip={{ ...message.video_note, width: length, height: length }} isRound />
  }
  if (message.audio) return <AudioCard audio={message.audio} />
  if (message.voice) return <AudioCard audio={message.voice} />
  if (message.document) return <Document document={message.document} />
  if (message.sticker) return <StickerCard sticker={message.sticker} />
  // A venue is a location as well.
  if (message.venue) return <LocationCard {...message.venue} />
  if (message.location) return <LocationCard location={message.location} />
  if (message.contact) return <ContactCard contact={message.contact} />
  if (message.poll) return <PollCard poll={message.poll} />
  return message.dice ? <DiceCard dice={message.dice} /> : null
}

function Document({ document }: { document: NonNullable<Message['document']> }) {
  const isSound = document.mime_type?.startsWith('audio/')
  return (
    <>
      <FileCard file={document} />
      {isSound ? <SoundFile file={document} /> : null}
    </>
  )
}

/** Checks whether a message has media that fill their bubble to its edges. */
export function isPicture({ photo, video, animation }: Message): boolean {
  return photo !== undefined || video !== undefined || animation !== undefined
}

/** Checks whether a message shows without a bubble around it. */
export function isBare({ sticker, dice, video_note: note }: Message): boolean {
  return sticker !== undefined || dice !== undefined || note !== undefined
}
