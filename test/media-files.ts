/** The beginnings of files as they are told apart by; what follows them is nobody's business here. */
export const MP4 = Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0 the frames of a clip', 'latin1')
export const PNG = Buffer.from('\x89PNG\r\n\x1a\n the rows of a picture', 'latin1')
