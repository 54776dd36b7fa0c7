import type { FileRecorder, StoredFile } from '../world/files.ts'
import type { FileRecord } from './kept-state.ts'
import type { StoreWrites } from './store.ts'

/** The changes of files since the last write. */
export interface FileJournal extends FileRecorder {
  read(): Pick<StoreWrites, 'files' | 'fileIds'>
  /** Forgets the changes; call it after they were written. */
  clear(): void
}

export function createFileJournal(): FileJournal {
  const files = new Set<StoredFile>()
  const fileIds = new Map<string, string>()
  return {
    recordFile: (file) => void files.add(file),
    recordFileId: (fileId, { uniqueId }) => void fileIds.set(fileId, uniqueId),
    read: () => ({
      files: [...files].map((file) => ({ uniqueId: file.uniqueId, value: toText(file) })),
      fileIds: Array.from(fileIds, ([fileId, uniqueId]) => ({ fileId, uniqueId })),
    }),
    clear: () => {
      files.clear()
      fileIds.clear()
    },
  }
}

function toText({ bytes: _own, path, ...facts }: StoredFile): string {
  const record: FileRecord = { ...facts, isDropped: path === undefined }
  return JSON.stringify(record)
}
