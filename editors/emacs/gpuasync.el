;;; gpuasync.el --- Language server for asynchronous GPU code in MLIR -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;; Version: 0.2.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: languages, tools

;;; Commentary:

;; Set-up, with eglot or with lsp-mode, whichever is installed:
;;
;;   (add-to-list 'load-path "/path/to/gpuasync-lsp/editors/emacs")
;;   (require 'gpuasync)
;;   (add-hook 'mlir-mode-hook #'eglot-ensure)     ; or #'lsp-deferred
;;
;; `gpuasync-preview' shows the lowered code beside the source, up to date and linked line by line;
;; `gpuasync-streams' shows which op runs on which stream, `gpuasync-passes' shows what each pass of a
;; dump did, and `gpuasync-run' runs a function.

;;; Code:

(require 'cl-lib)
(require 'subr-x)

(defgroup gpuasync nil
  "Asynchronous GPU code in MLIR."
  :group 'languages)

(defcustom gpuasync-server-command '("gpuasync-lsp" "--stdio")
  "Program and arguments that start the language server."
  :type '(repeat string))

;;;###autoload
(put 'gpuasync-trusted 'risky-local-variable t)
(put 'gpuasync-server-command 'risky-local-variable t)

(defcustom gpuasync-trusted t
  "Whether the server may start programs.
A function is called without arguments in a buffer of the project when
its server starts; Emacs 30 has `trusted-content-p'."
  :type '(choice (const t) (const nil) function))

(defun gpuasync--initialization-options (&rest _)
  "Return the initialization options for the server."
  (list :trusted (if (if (functionp gpuasync-trusted) (funcall gpuasync-trusted) gpuasync-trusted)
                     t
                   :json-false)))

(defcustom gpuasync-preview-delay 0.2
  "Idle seconds after an edit until the preview is updated."
  :type 'number)

(defface gpuasync-linked '((t :inherit region))
  "Lines of the other window that correspond to the line at point.")

;;; The major mode, unless LLVM's own is installed.

(unless (require 'mlir-mode nil t)
  (defvar gpuasync--syntax-table
    (let ((table (make-syntax-table)))
      (modify-syntax-entry ?/ ". 12" table)
      (modify-syntax-entry ?\n ">" table)
      (modify-syntax-entry ?% "_" table)
      (modify-syntax-entry ?@ "_" table)
      (modify-syntax-entry ?# "_" table)
      (modify-syntax-entry ?! "_" table)
      (modify-syntax-entry ?. "_" table)
      table))
  (defconst gpuasync--font-lock-keywords
    `((,(rx symbol-start (group (any "a-z_") (* (any "a-zA-Z0-9_")) (+ "." (+ (any "a-zA-Z0-9_$"))))) 1 font-lock-keyword-face)
      (,(rx "%" (+ (any "a-zA-Z0-9_$.-"))) . font-lock-variable-name-face)
      (,(rx "@" (+ (any "a-zA-Z0-9_$.-"))) . font-lock-function-name-face)
      (,(rx "^" (+ (any "a-zA-Z0-9_$.-"))) . font-lock-constant-face)
      (,(rx "!" (+ (any "a-zA-Z0-9_$."))) . font-lock-type-face)
      (,(rx "#" (+ (any "a-zA-Z0-9_$."))) . font-lock-preprocessor-face)
      (,(rx symbol-start (or "index" "none" "memref" "tensor" "vector" "tuple" "complex"
                             (seq (or "i" "si" "ui" "f" "bf") (+ digit)))
            symbol-end)
       . font-lock-type-face)))
  (define-derived-mode mlir-mode prog-mode "MLIR"
    "Major mode for MLIR."
    :syntax-table gpuasync--syntax-table
    (setq-local comment-start "// ")
    (setq-local font-lock-defaults '(gpuasync--font-lock-keywords)))
  (add-to-list 'auto-mode-alist '("\\.mlir\\'" . mlir-mode)))

;;; Requests to the server, through eglot or lsp-mode.

(declare-function eglot-current-server "eglot")
(declare-function eglot--TextDocumentIdentifier "eglot")
(declare-function jsonrpc-async-request "jsonrpc")
(declare-function lsp--text-document-identifier "lsp-mode")
(declare-function lsp-request-async "lsp-mode")
(declare-function lsp-register-client "lsp-mode")
(declare-function make-lsp-client "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")
(declare-function lsp-activate-on "lsp-mode")
(declare-function mlir-mode "mlir-mode")
(defvar eglot-server-programs)
(defvar lsp-language-id-configuration)

(with-eval-after-load 'eglot
  ;; A function, so that the command is read when a server starts.
  (setf (alist-get 'mlir-mode eglot-server-programs)
        (lambda (&rest _)
          (append gpuasync-server-command
                  (list :initializationOptions #'gpuasync--initialization-options))))
  (cl-defmethod eglot-handle-notification
    (_server (_method (eql 'gpuasync/runFinished)) &rest report)
    "Show the report of a run."
    (gpuasync--show-run report)))

(with-eval-after-load 'lsp-mode
  (add-to-list 'lsp-language-id-configuration '(mlir-mode . "mlir"))
  (lsp-register-client
   (make-lsp-client
    :new-connection (lsp-stdio-connection (lambda () gpuasync-server-command))
    :activation-fn (lsp-activate-on "mlir")
    :server-id 'gpuasync
    :initialization-options #'gpuasync--initialization-options
    :notification-handlers
    (let ((handlers (make-hash-table :test 'equal)))
      (puthash "gpuasync/runFinished" (lambda (_workspace report) (gpuasync--show-run report)) handlers)
      handlers))))

(defun gpuasync--get (object key)
  "Return the value of KEY, a keyword, in OBJECT.
OBJECT is a plist with eglot, a hash table with lsp-mode."
  (if (hash-table-p object)
      (gethash (substring (symbol-name key) 1) object)
    (plist-get object key)))

(defconst gpuasync--content-modified -32801
  "The LSP error code of a request that an edit has made obsolete.")

(defun gpuasync--eglot ()
  "Return the eglot server of this buffer, or nil."
  (and (fboundp 'eglot-current-server) (eglot-current-server)))

(defun gpuasync--no-server ()
  "Signal an error, with advice on starting a server for this buffer."
  (user-error "No language server runs in this buffer: start one with M-x eglot, or M-x lsp"))

(defun gpuasync--line ()
  "Return the 0-based number of the line at point, even in a narrowed buffer."
  (1- (line-number-at-pos nil t)))

(defun gpuasync--go-to-line (line)
  "Move point to the 0-based LINE of the whole buffer.
A narrowing that hides the line is lifted."
  (let ((place (save-restriction
                 (widen)
                 (save-excursion (goto-char (point-min)) (forward-line line) (point)))))
    (unless (<= (point-min) place (point-max)) (widen))
    (goto-char place)))

(defun gpuasync--document ()
  "Return this buffer as a TextDocumentIdentifier."
  (cond ((gpuasync--eglot) (eglot--TextDocumentIdentifier))
        ((bound-and-true-p lsp-mode) (lsp--text-document-identifier))
        (t (gpuasync--no-server))))

(defun gpuasync--request (method params done)
  "Send METHOD, a string, with PARAMS; call DONE with the answer in this buffer."
  (let* ((buffer (current-buffer))
         (answered (lambda (result) (when (buffer-live-p buffer) (with-current-buffer buffer (funcall done result)))))
         (failed (lambda (err)
                   ;; The edit that made the request obsolete sends it again.
                   (unless (eql (gpuasync--get err :code) gpuasync--content-modified)
                     (message "gpuasync: %s" (or (gpuasync--get err :message) err))))))
    (cond ((gpuasync--eglot)
           ;; Deferred: sent once eglot has sent the changes of the buffer.
           (jsonrpc-async-request (gpuasync--eglot) (intern (concat ":" method)) params
                                  :success-fn answered :error-fn failed :deferred method))
          ((bound-and-true-p lsp-mode)
           (lsp-request-async method params answered :error-handler failed :mode 'alive))
          (t (gpuasync--no-server)))))

(defun gpuasync--display (name text mode)
  "Show TEXT in the buffer NAME with major MODE, in another window.
Return the buffer."
  (let ((buffer (get-buffer-create name)))
    (with-current-buffer buffer
      (unless (derived-mode-p mode) (funcall mode))
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert text)
        (goto-char (point-min)))
      (set-buffer-modified-p nil)
      (setq buffer-read-only t))
    (display-buffer buffer '(nil (inhibit-same-window . t)))
    buffer))

;;; Preview.

(defvar-local gpuasync--preview nil
  "In a source buffer, its preview: a plist of :buffer, :llvm, :stage.")
(defvar-local gpuasync--source nil
  "In a preview buffer, the buffer whose lowering it shows.")
(defvar-local gpuasync--links nil
  "In a preview buffer, the list of (SOURCE . LOWERED-LINES), 0-based.")
(defvar-local gpuasync--timer nil
  "In a source buffer, the timer that waits to refresh the preview.")

(defvar gpuasync-preview-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'gpuasync-preview-visit)
    map)
  "Keys of `gpuasync-preview-minor-mode'.")

(define-minor-mode gpuasync-preview-minor-mode
  "Keys in a buffer that shows lowered code."
  :keymap gpuasync-preview-mode-map)

(defvar gpuasync-preview-hook nil
  "Run in the preview buffer each time its text is up to date.")

(defun gpuasync--mark (buffer lines)
  "Highlight the 0-based LINES of BUFFER, and scroll its window to the first."
  (with-current-buffer buffer
    (save-restriction
      (widen)
      (remove-overlays (point-min) (point-max) 'gpuasync-linked t)
      (dolist (line lines)
        (save-excursion
          (goto-char (point-min))
          (forward-line line)
          (let ((overlay (make-overlay (point) (line-beginning-position 2))))
            (overlay-put overlay 'gpuasync-linked t)
            (overlay-put overlay 'face 'gpuasync-linked)))))
    (when-let ((line (car lines)) (window (get-buffer-window buffer)))
      (gpuasync--go-to-line line)
      (set-window-point window (point)))))

(defun gpuasync--source-line (lowered)
  "Return the source line of the line LOWERED of this preview, or nil."
  (car (cl-find-if (lambda (link) (memq lowered (cdr link))) gpuasync--links)))

(defun gpuasync--follow-source ()
  "Highlight the lowered code of the line at point."
  (let ((preview (plist-get gpuasync--preview :buffer)))
    (cond ((buffer-live-p preview)
           (gpuasync--mark preview (alist-get (gpuasync--line) (buffer-local-value 'gpuasync--links preview))))
          (preview                      ; it was killed
           (remove-hook 'post-command-hook #'gpuasync--follow-source t)
           (remove-hook 'after-change-functions #'gpuasync--changed t)))))

(defun gpuasync--follow-preview ()
  "Highlight the source of the line at point."
  (when (buffer-live-p gpuasync--source)
    (let ((line (gpuasync--source-line (gpuasync--line))))
      (gpuasync--mark gpuasync--source (and line (list line))))))

(defun gpuasync-preview-visit ()
  "Go to the source of the lowered line at point."
  (interactive)
  (let ((line (gpuasync--source-line (gpuasync--line))))
    (unless line (user-error "This line comes from no source line"))
    (pop-to-buffer gpuasync--source)
    (gpuasync--go-to-line line)))

(defun gpuasync--refresh ()
  "Request the lowering of this buffer.
An answer that the user has typed past is dropped."
  (let ((tick (buffer-chars-modified-tick)) (source (current-buffer)))
    (gpuasync--request
     "gpuasync/lowering"
     `(:textDocument ,(gpuasync--document)
       ,@(when-let ((llvm (plist-get gpuasync--preview :llvm))) (list :llvm llvm))
       ,@(when-let ((stage (plist-get gpuasync--preview :stage))) (list :stage stage)))
     (lambda (result)
       (when (= tick (buffer-chars-modified-tick))
         (let ((buffer (gpuasync--display (format "*gpuasync lowering: %s*" (buffer-name source))
                                          (gpuasync--get result :text) #'mlir-mode)))
           (setf (plist-get gpuasync--preview :buffer) buffer)
           (with-current-buffer buffer
             (gpuasync-preview-minor-mode)
             (setq header-line-format (string-replace "%" "%%" (gpuasync--header result)))
             (setq gpuasync--source source
                   gpuasync--links (mapcar (lambda (pair) (cons (elt pair 0) (append (elt pair 1) nil)))
                                           (gpuasync--get result :lineMap)))
             (add-hook 'post-command-hook #'gpuasync--follow-preview nil t)
             (run-hooks 'gpuasync-preview-hook))))))))

(defun gpuasync--later (shown refresh)
  "Call REFRESH in this buffer once the user pauses.
It is not called if what SHOWN returns has no window.  Return the timer."
  (let ((source (current-buffer)))
    (run-with-timer gpuasync-preview-delay nil
                    (lambda ()
                      (when (buffer-live-p source)
                        (with-current-buffer source
                          (let ((buffer (funcall shown)))
                            (when (and (buffer-live-p buffer) (get-buffer-window buffer t))
                              (funcall refresh)))))))))

(defun gpuasync--changed (&rest _)
  "Refresh the preview once the user pauses, while the preview is shown."
  (when gpuasync--timer (cancel-timer gpuasync--timer))
  (setq gpuasync--timer
        (gpuasync--later (lambda () (plist-get gpuasync--preview :buffer)) #'gpuasync--refresh)))

(defun gpuasync--header (result)
  "Describe RESULT, and the error or first unlowered op of the lowering."
  (let* ((notes (append (gpuasync--get result :notes) nil))
         (note (or (cl-find-if (lambda (note) (eq t (gpuasync--get note :error))) notes) (car notes)))
         (line (and note (gpuasync--get note :line))))
    (concat (format "LLVM %s  %s" (gpuasync--get result :llvm) (gpuasync--get result :stage))
            (when note
              (concat "  " (when line (format "line %d: " (1+ line)))
                      (replace-regexp-in-string "[ \n]+" " " (gpuasync--get note :message)))))))

;;;###autoload
(defun gpuasync-preview (&optional llvm stage)
  "Show the lowering of this buffer, for LLVM release LLVM at STAGE.
Both default to the server's choice; with a prefix argument, ask for them."
  (interactive
   (when current-prefix-arg
     (list (let ((release (read-string "LLVM release (empty for the file's): ")))
             (unless (string-empty-p release) (string-to-number release)))
           (let ((stage (read-string "Stage (empty for the default): ")))
             (unless (string-empty-p stage) stage)))))
  (setq gpuasync--preview (list :llvm llvm :stage stage :buffer (plist-get gpuasync--preview :buffer)))
  (add-hook 'after-change-functions #'gpuasync--changed nil t)
  (add-hook 'post-command-hook #'gpuasync--follow-source nil t)
  (gpuasync--refresh))

;;; Streams and runs.

(defvar-local gpuasync--streams nil
  "In a source buffer, the buffer that shows its streams.")
(defvar-local gpuasync--streams-timer nil
  "In a source buffer, the timer that waits to refresh the streams.")
(defvar-local gpuasync--streams-line nil
  "In a source buffer, the line that its streams last followed.")
(defvar-local gpuasync--shown nil
  "In a buffer of streams, the number of functions that it shows.")

(defvar gpuasync-streams-hook nil
  "Run in the buffer of streams each time its text is up to date.")

(defun gpuasync--rows ()
  "Return the rows of this streams buffer as links, (SOURCE . ROWS), 0-based.
A row is about the line that it begins with the number of."
  (let ((row 0) links)
    (save-excursion
      (goto-char (point-min))
      (while (not (eobp))
        (when (looking-at " *\\([0-9]+\\) ")
          (push row (alist-get (1- (string-to-number (match-string 1))) links)))
        (setq row (1+ row))
        (forward-line)))
    (mapc (lambda (link) (setcdr link (nreverse (cdr link)))) links)))

(defun gpuasync--refresh-streams ()
  "Request the streams of the function at point, or else of all functions.
An answer that the user has typed past is dropped."
  (let ((tick (buffer-chars-modified-tick)) (source (current-buffer)))
    (gpuasync--request
     "gpuasync/streams"
     (list :textDocument (gpuasync--document) :format "text"
           :position (list :line (gpuasync--line) :character (current-indentation)))
     (lambda (result)
       (when (= tick (buffer-chars-modified-tick))
         (let ((buffer (gpuasync--display (format "*gpuasync streams: %s*" (buffer-name source))
                                          (gpuasync--get result :text) #'special-mode)))
           (setq gpuasync--streams buffer)
           (with-current-buffer buffer
             (gpuasync-preview-minor-mode)
             (setq gpuasync--source source
                   gpuasync--links (gpuasync--rows)
                   gpuasync--shown (length (gpuasync--get result :shown)))
             (add-hook 'post-command-hook #'gpuasync--follow-preview nil t))
           (gpuasync--mark-streams)
           (with-current-buffer buffer (run-hooks 'gpuasync-streams-hook))))))))

(defun gpuasync--mark-streams ()
  "Highlight the rows of the streams for the line at point.
Return the rows that are about it."
  (let ((rows (alist-get (gpuasync--line) (buffer-local-value 'gpuasync--links gpuasync--streams))))
    (gpuasync--mark gpuasync--streams rows)
    rows))

(defun gpuasync--follow-streams ()
  "Show in the streams the line at point, which may be in another function."
  (cond ((and gpuasync--streams (not (buffer-live-p gpuasync--streams)))
         (remove-hook 'post-command-hook #'gpuasync--follow-streams t)
         (remove-hook 'after-change-functions #'gpuasync--streams-changed t))
        ((and gpuasync--streams (not (equal gpuasync--streams-line (gpuasync--line))))
         (setq gpuasync--streams-line (gpuasync--line))
         (unless (and (gpuasync--mark-streams) (eql 1 (buffer-local-value 'gpuasync--shown gpuasync--streams)))
           (gpuasync--streams-changed)))))

(defun gpuasync--streams-changed (&rest _)
  "Refresh the streams once the user pauses, while they are shown."
  (when gpuasync--streams-timer (cancel-timer gpuasync--streams-timer))
  (setq gpuasync--streams-timer
        (gpuasync--later (lambda () gpuasync--streams) #'gpuasync--refresh-streams)))

;;;###autoload
(defun gpuasync-streams ()
  "Show the streams of the function at point, and the ops on each.
Outside of all functions, show those of every one.
The text follows point and every edit; RET in it goes to the source."
  (interactive)
  (add-hook 'after-change-functions #'gpuasync--streams-changed nil t)
  (add-hook 'post-command-hook #'gpuasync--follow-streams nil t)
  (gpuasync--refresh-streams))

;;;###autoload
(defun gpuasync-passes (&optional function)
  "Show what each pass of the IR dump in this buffer did.
With a prefix argument, ask for the FUNCTION to show it of."
  (interactive (list (when current-prefix-arg (read-string "Function: "))))
  (let ((name (format "*gpuasync passes: %s*" (buffer-name))))
    (gpuasync--request "gpuasync/passes"
                       `(:textDocument ,(gpuasync--document) ,@(when function (list :function function)))
                       (lambda (result) (gpuasync--display name (gpuasync--get result :text) #'special-mode)))))

(defun gpuasync--show-run (report)
  "Show REPORT, which the server sends when a run has ended."
  (gpuasync--display "*gpuasync run*" (gpuasync--get report :text) #'special-mode))

;;;###autoload
(defun gpuasync-run (&optional device entry)
  "Run the function ENTRY of this buffer on DEVICE: \"auto\", \"cpu\" or \"cuda\".
With a prefix argument both are asked for; the default is the only
function that can be run, or @main, on what there is.  The report, with
the timeline, opens when the run has ended."
  (interactive
   (when current-prefix-arg
     (list (completing-read "Device (default auto): " '("auto" "cpu" "cuda") nil t nil nil "auto")
           (let ((entry (read-string "Function (default the only one, or main): ")))
             (unless (string-empty-p entry) entry)))))
  (gpuasync--request "workspace/executeCommand"
                     `(:command "gpuasync.run"
                       :arguments [(:uri ,(plist-get (gpuasync--document) :uri) :device ,(or device "auto")
                                    :profile t ,@(when entry (list :entry entry)))])
                     #'ignore))

;;; Tests.

;;;###autoload
(defun gpuasync-test (&optional line)
  "Run the RUN lines of this buffer, or the one in LINE, and show the results.
With a prefix argument, LINE is the line at point."
  (interactive (list (when current-prefix-arg (1+ (gpuasync--line)))))
  (let ((name (format "*gpuasync test: %s*" (buffer-name))))
    (gpuasync--request "workspace/executeCommand"
                       `(:command "gpuasync.test"
                         :arguments [(:uri ,(plist-get (gpuasync--document) :uri)
                                      ,@(when line (list :line line)))])
                       (lambda (result) (gpuasync--display name (gpuasync--get result :text) #'special-mode)))))

;;;###autoload
(defun gpuasync-update-checks ()
  "Run the test of this buffer and update its failing CHECK lines from the output.
Nothing is saved."
  (interactive)
  (gpuasync--request "workspace/executeCommand"
                     `(:command "gpuasync.updateChecks"
                       :arguments [(:uri ,(plist-get (gpuasync--document) :uri))])
                     (lambda (result) (message "%s" (gpuasync--get result :message)))))

(provide 'gpuasync)
;;; gpuasync.el ends here
