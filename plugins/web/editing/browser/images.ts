/** The scripts of pictures on the screen of the editor, whichever editor is open. */
import "./image_manager.ts";
import "./picture_descriptions.ts";
